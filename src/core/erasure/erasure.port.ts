import type { Environment } from '#contracts';

/** A conversation that is erased: its row has no participant any more. */
export interface ErasedConversation {
  id: string;
  environment: Environment;
}

/** Columns that hold personal data, by table. */
export type PersonalColumns = Readonly<Record<string, readonly string[]>>;

/** The owner of tables removes the data of a conversation from them. */
export interface ErasurePart {
  /** `test/architecture` compares it with the columns that exist. */
  erases: PersonalColumns;
  /**
   * Left out: the transaction that marks the conversation removes it.
   *
   * Removes everything, in batches of one transaction each. It runs twice at least, and again after a crash: what is gone
   * already costs a look.
   * @param signal aborts between two batches
   * @returns false: something is still in use, and the part is to run again in a second
   */
  erase?(conversation: ErasedConversation, signal: AbortSignal): Promise<boolean>;
}
