import type { PastHandover } from '#client';
import { writtenBy } from './written-by';

const grace = {
  taken_at: '2026-01-31T10:00:00Z',
  resumed_at: '2026-01-31T11:00:00Z',
  assignee: 'Grace',
} as PastHandover;
const now = { taken_at: '2026-01-31T12:00:00Z', resumed_at: null, assignee: 'Ben' } as PastHandover;

describe(writtenBy, () => {
  it.each([
    ['the person who had the conversation then', 'outbound', 'api', '2026-01-31T10:30:00Z', 'Grace'],
    ['the person who has it now', 'outbound', 'api', '2026-01-31T12:30:00Z', 'Ben'],
    ['no known person between two takeovers', 'outbound', 'api', '2026-01-31T11:30:00Z', undefined],
    ['a colleague on the phone', 'outbound', 'phone', '2026-01-31T09:00:00Z', 'A colleague on the phone'],
    ['not the assistant', 'outbound', 'assistant', '2026-01-31T10:30:00Z', undefined],
    ['not the person outside', 'inbound', null, '2026-01-31T10:30:00Z', undefined],
  ] as const)('names %s', (_title, direction, sent_by, created_at, expected) => {
    expect(writtenBy({ direction, sent_by, created_at }, [now, grace])).toBe(expected);
  });
});
