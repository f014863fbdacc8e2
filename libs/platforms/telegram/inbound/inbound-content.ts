import type { TelegramMessage } from '@gramio/types/objects';
import { type MessageData, sanitizeText } from '#contracts';
import type { InboundKind } from '../../platform.port';
import { attempt } from './attempt';
import type { ContentRow } from './kinds/field-row';
import { withLinks } from './kinds/links';
import { CONTENT_FIELDS, COUNTED_FIELDS, MESSAGE_FIELDS } from './kinds/message-fields';

export interface Content {
  kind: InboundKind;
  /** The text, or words for other content: `[photo] caption`. */
  content: string;
  data?: MessageData;
  expectsReply?: false;
}

/** A message that was left out: `ignored` names the field that makes it a service message. */
export interface Ignored {
  ignored: string;
}

/** The first field that decides the kind; a field that is not in the table is a kind that is new at Telegram. */
export function contentOf(message: TelegramMessage): Content | Ignored {
  const known = knownContentOf(message);
  if (known) return known.content === '' ? { ignored: 'empty_message' } : known;
  const service = COUNTED_FIELDS.find((field) => message[field] != null);
  if (service) return { ignored: service };
  return { kind: 'other', content: `[unsupported message: ${newFieldOf(message)}]`, expectsReply: false };
}

/** Undefined for a service message, and for a kind that is not in the table. `content` is empty if the message has no words. */
export function knownContentOf(message: Partial<TelegramMessage>): Content | undefined {
  for (const [field, row] of CONTENT_FIELDS) {
    const value = message[field];
    if (value == null) continue;
    const label = row.label === undefined ? [] : [`[${row.label}]`];
    const { caption: plain = '', caption_entities } = message;
    const caption = attempt(() => withLinks(plain, caption_entities)) ?? plain;
    const described = attempt(() => row.words?.(value, message as TelegramMessage)) ?? [];
    const words = [...label, ...described, caption];
    const data = attempt(() => row.data?.(value));
    return {
      kind: row.kind,
      content: sanitizeText(words.filter((word) => word != null && word !== '').join(' ')),
      ...(data && { data }),
      ...expectation(row),
    };
  }
  return undefined;
}

function expectation({ expectsReply }: ContentRow): Pick<Content, 'expectsReply'> {
  return expectsReply === false ? { expectsReply } : {};
}

function newFieldOf(message: TelegramMessage): string {
  const isNew = ([name, value]: [string, unknown]): boolean => !Object.hasOwn(MESSAGE_FIELDS, name) && value != null;
  const name = Object.entries(message).find(isNew)?.[0] ?? 'unknown';
  return name.replaceAll(/\W/g, '').slice(0, 40) || 'unknown';
}
