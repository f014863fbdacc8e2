import { sanitizeMessage } from './sanitize-message';

describe(sanitizeMessage.name, () => {
  const now = new Date('2026-01-31T12:00:00Z');

  it('removes text that PostgreSQL cannot store from every field of a message', () => {
    const person = { id: '1\u0000', name: 'A\ud83da', username: null };
    expect(
      sanitizeMessage(
        {
          platformMessageId: '1:\u00002',
          participant: person,
          sender: person,
          content: 'a\u0000b\ud83d',
          kind: 'text',
          sentAt: new Date(Number.NaN),
        },
        now,
      ),
    ).toEqual({
      platformMessageId: '1:2',
      participant: { id: '1', name: 'A\ufffda', username: null },
      sender: { id: '1', name: 'A\ufffda', username: null },
      content: 'ab\ufffd',
      kind: 'text',
      sentAt: now,
    });
  });
});
