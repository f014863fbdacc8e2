import type { Platform } from '#contracts';

/**
 * The outcome of one kind of update. `counted`: the gateway leaves it out, counts it and logs it at debug. `part`: it belongs
 * to the message that it is in, and is no kind of its own.
 */
export type InboundOutcome = 'message' | 'change' | 'reaction' | 'receipt' | 'notice' | 'counted' | 'part';

/** One kind of what a platform sends: a field, a type, a flag. */
export interface InboundRow {
  /** The platform's own word for it. */
  kind: string;
  becomes: InboundOutcome;
  /** The form of the message's content (`[poll] question option / option`), or a remark for the reader of the page. */
  words?: string;
}

/** Everything that a platform sends in one place of its interface. docs/platforms.md shows each table. */
export interface InboundTable {
  platform: Platform;
  /** The place: "Fields of `Message`". */
  title: string;
  /** Where the rows come from, with the version: "Bot API 10.3, @gramio/types 10.3.1". */
  source: string;
  rows: readonly InboundRow[];
}
