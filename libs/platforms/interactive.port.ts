/** Options for the recipient of a message to choose from. */
export interface Interactive {
  /** `choice`: up to 3 buttons. `list`: up to 10 rows, some with a description. */
  type: 'choice' | 'list';
  options: readonly InteractiveOption[];
  /** The words on the button that opens a list, where the platform has one. */
  button?: string;
}

export interface InteractiveOption {
  /** Up to 256 characters. */
  id: string;
  title: string;
  description?: string;
  /** A link: the platform does not tell that it was opened. */
  url?: string;
}

/** A person chose an option. Adapters acknowledge it to the platform once it is stored. */
export interface InteractiveReply {
  /** {@link InteractiveOption.id}; missing if the platform could not carry it. */
  id?: string;
  /** The position in `options`, from 0, where the platform tells. */
  index?: number;
  /** Empty if the platform does not tell: the stored offer has it, or else `content` of the message stands for it. */
  title: string;
  /** Id of the message with the options; missing if the platform does not tell. */
  platformMessageId?: string;
}
