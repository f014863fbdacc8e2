import type { TelegramMessage } from '@gramio/types/objects';
import type { MessageData } from '#contracts';
import type { InboundKind } from '../../../platform.port';

/** Words of a message's content; missing ones are left out. */
export type Words = readonly (string | number | undefined)[];

/** A field that makes a message of its own kind: `[label] words caption`. */
export interface ContentRow<Value = unknown> {
  becomes: 'message';
  kind: InboundKind;
  /** Shown in brackets before the words; missing where the words are what the person wrote. */
  label?: string;
  words?(value: Value, message: TelegramMessage): Words;
  data?(value: Value): MessageData;
  /** False: the assistant does not answer, because the person asks nothing with it. */
  expectsReply?: false;
  /** The form of the words, for docs/platforms.md. */
  form?: string;
}

/** `counted`: a service message. `part`: the field describes its message. */
export interface OtherRow {
  becomes: 'counted' | 'part' | 'change';
  /** A remark for docs/platforms.md. */
  form?: string;
}

export type FieldRow<Value = unknown> = ContentRow<Value> | OtherRow;

/** Rows of some fields of `Message`. */
export type FieldRows = { readonly [Field in keyof TelegramMessage]?: FieldRow<NonNullable<TelegramMessage[Field]>> };
