import { partAfter, partsAfter, receiptOutcome } from './receipt-outcome';
import type { PartReceipt, PartRow } from './receipts.rows';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const message_id = '019b76da-a800-7000-8000-000000000000';
const sent = (part_index = 0): PartRow => ({
  message_id,
  part_index,
  status: 'sent',
  delivered_at: null,
  read_at: null,
  failure: null,
});
const receipt = (status: PartReceipt['status'], second: number): PartReceipt => ({
  message_id,
  part_index: 0,
  status,
  at: at(second),
  failure: null,
  pricing: null,
});

/** The part after receipts in this order. */
const after = (...receipts: PartReceipt[]): PartRow =>
  receipts.reduce((part, next) => partAfter(part, next) ?? part, sent());

describe(partAfter.name, () => {
  it('ends in the same state for delivered and read in any order and number', () => {
    const [delivered, read] = [receipt('delivered', 1), receipt('read', 2)];
    for (const order of [
      [delivered, read],
      [read, delivered],
      [delivered, delivered, read, read, delivered],
    ])
      expect(after(...order)).toMatchObject({ status: 'read', read_at: at(2) });
  });

  it('treats a read part as delivered', () => {
    expect(after(receipt('read', 2))).toMatchObject({ delivered_at: at(2), read_at: at(2) });
  });

  it('keeps a failure, and does not fail a delivered part', () => {
    expect(after(receipt('failed', 1), receipt('read', 2)).status).toBe('failed');
    expect(after(receipt('delivered', 1), receipt('failed', 2)).status).toBe('delivered');
  });

  it('adds a reason to a failure without one', () => {
    expect(after(receipt('failed', 1)).failure?.code).toBe('recipient_unreachable');
  });
});

describe(partsAfter.name, () => {
  it('applies any number of receipts to their parts, and returns the changed parts', () => {
    const { parts, changed } = partsAfter(
      [sent(0), sent(1)],
      [{ ...receipt('read', 2), part_index: 1 }, { ...receipt('delivered', 1), part_index: 1 }, receipt('sent', 1)],
    );
    expect(parts).toMatchObject([{ status: 'sent' }, { status: 'read', read_at: at(2) }]);
    expect(changed).toEqual([parts[1]]);
  });
});

describe(receiptOutcome.name, () => {
  const delivered = (index: number, second: number): PartRow => ({
    ...sent(index),
    status: 'delivered',
    delivered_at: at(second),
  });

  it('is undecided while a part is undecided', () => {
    expect(receiptOutcome([delivered(0, 1), sent(1)])).toBeUndefined();
    expect(receiptOutcome([])).toBeUndefined();
  });

  it('is delivered at the time of the last part', () => {
    expect(receiptOutcome([delivered(0, 5), delivered(1, 3)])).toEqual({
      status: 'delivered',
      deliveredAt: at(5),
      readAt: null,
    });
  });

  it('is failed as soon as one part failed', () => {
    const failed = after(receipt('failed', 1));
    expect(receiptOutcome([sent(0), { ...failed, part_index: 1 }])).toMatchObject({ status: 'failed' });
  });
});
