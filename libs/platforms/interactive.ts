import type { Interactive, InteractiveOption, InteractiveReply } from './interactive.port';
import type { OutboundContent, OutboundPart, SendOptions, SendPlan } from './platform.port';

/** The text with the options as numbered lines, for platforms that cannot show them: the person answers with a number. */
export function numberedText(text: string, { options }: Interactive): string {
  const lines = options.map(({ title, description, url }, index) =>
    [`${index + 1}. ${title}`, description, url].filter(Boolean).join(' – '),
  );
  return `${text}\n\n${lines.join('\n')}`;
}

/** The text with a line for each option that has a description, because a button has no room for it. */
export function describedText(text: string, { options }: Interactive): string {
  const lines = options
    .filter(({ description }) => description)
    .map(({ title, description }) => `${title}: ${description}`);
  return lines.length > 0 ? `${text}\n\n${lines.join('\n')}` : text;
}

/** How a platform shows options. */
interface Form {
  split: (text: string, options: SendOptions) => OutboundPart[];
  canShow: (interactive: Interactive) => boolean;
  /** Whether the options carry their descriptions. */
  describes: (interactive: Interactive) => boolean;
}

/** The parts of a message with options: the last one shows them. */
export function planInteractive(content: OutboundContent, interactive: Interactive, form: Form): SendPlan {
  const { text, options } = content;
  if (!form.canShow(interactive))
    return { parts: form.split(numberedText(text, interactive), options), isNumbered: true };
  const parts = form.split(form.describes(interactive) ? text : describedText(text, interactive), options);
  return { parts: [...parts.slice(0, -1), { ...parts.at(-1)!, interactive }] };
}

/** Payload of a button: the option's id, or its position if the id is too long. */
export function keyOf({ id }: InteractiveOption, index: number, mostBytes: number): string {
  return Buffer.byteLength(id) > mostBytes || id.startsWith('#') ? `#${index}` : id;
}

/** The reverse of `keyOf`. */
export function choiceOf(key: string): Pick<InteractiveReply, 'id' | 'index'> {
  return /^#\d+$/.test(key) ? { index: Number(key.slice(1)) } : { id: key };
}
