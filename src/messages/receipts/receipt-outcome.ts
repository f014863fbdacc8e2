import { PART_TRANSITIONS, sendFailure, type SendFailure } from '#contracts';
import type { PartReceipt, PartRow } from './receipts.rows';

/** The failure of a part that failed without a reason. */
const UNEXPLAINED = sendFailure('recipient_unreachable');

/** The outcome of a message, from its parts. */
export type ReceiptOutcome =
  { status: 'delivered'; deliveredAt: Date; readAt: Date | null } | { status: 'failed'; failure: SendFailure };

/** The part after a receipt, or undefined when the receipt is older than the part's state. Read implies delivered. */
export function partAfter(part: PartRow, { status, at, failure }: PartReceipt): PartRow | undefined {
  if (!PART_TRANSITIONS[part.status].includes(status)) return undefined;
  if (status === 'failed') return { ...part, status, failure: failure ?? UNEXPLAINED };
  return { ...part, status, delivered_at: part.delivered_at ?? at, read_at: status === 'read' ? at : part.read_at };
}

/** The parts of a message after receipts, and those of them that have changed. */
export function partsAfter(
  parts: readonly PartRow[],
  receipts: readonly PartReceipt[],
): { parts: PartRow[]; changed: PartRow[] } {
  const after = parts.map((part) =>
    receipts
      .filter(({ part_index }) => part_index === part.part_index)
      .reduce((state, receipt) => partAfter(state, receipt) ?? state, part),
  );
  return { parts: after, changed: after.filter((part, index) => part !== parts[index]) };
}

/** A message is delivered, or read, when all of its parts are, and failed as soon as one is. Undefined: not decided yet. */
export function receiptOutcome(parts: readonly PartRow[]): ReceiptOutcome | undefined {
  const failed = parts.find(({ status }) => status === 'failed');
  if (failed) return { status: 'failed', failure: failed.failure ?? UNEXPLAINED };
  const delivered = latestOf(parts.map(({ delivered_at: at }) => at));
  if (!delivered) return undefined;
  return { status: 'delivered', deliveredAt: delivered, readAt: latestOf(parts.map((part) => part.read_at)) };
}

/** Null if any moment is unknown. */
function latestOf(times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null);
  if (known.length === 0 || known.length < times.length) return null;
  return new Date(Math.max(...known.map((time) => time.getTime())));
}
