import { sanitizeContent, sanitizeMessage } from './sanitize-message';

describe(sanitizeContent.name, () => {
  it('cuts a text to the length of a message, in code points that can be stored', () => {
    expect(sanitizeContent('🙂'.repeat(16_384))).toBe('🙂'.repeat(16_384));
    expect(sanitizeContent('🙂'.repeat(16_385))).toBe(`${'🙂'.repeat(16_383)}…`);
    expect(sanitizeContent('x\u0000'.repeat(16_384))).toBe('x'.repeat(16_384));
  });
});

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
