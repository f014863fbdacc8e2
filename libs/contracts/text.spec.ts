import { codePointsOf, cutText, MAX_TEXT_LENGTH, sanitizeText, textFault } from './text';

describe(textFault.name, () => {
  it('counts code points, not UTF-16 units', () => {
    expect(textFault('🙂'.repeat(MAX_TEXT_LENGTH))).toBeUndefined();
    expect(textFault('🙂'.repeat(MAX_TEXT_LENGTH + 1))).toBe('must be at most 16384 characters');
  });

  it.each([
    ['', 'must not be empty'],
    ['a\u0000b', 'must not contain NUL characters'],
    ['\ud83d', 'must not contain lone surrogates'],
  ])('refuses %j', (text, fault) => expect(textFault(text)).toBe(fault));
});

describe(sanitizeText.name, () => {
  it.each([
    ['Grüße 🙂', 'Grüße 🙂'],
    ['a\u0000b\u0000', 'ab'],
    ['a\ud83d', 'a\ufffd'],
  ])('makes %j safe to store', (text, sanitized) => expect(sanitizeText(text)).toBe(sanitized));

  it('never cuts a surrogate pair in half', () => {
    expect(sanitizeText('abc', 2)).toBe('ab');
    expect(sanitizeText('a🙂', 2)).toBe('a\ufffd');
  });
});

describe(cutText.name, () => {
  it.each([
    ['abc', 'abc'],
    ['abcd', 'ab…'],
    ['🙂🙂🙂', '🙂🙂🙂'],
    ['🙂🙂🙂🙂', '🙂🙂…'],
    ['a🙂'.repeat(1_000_000), 'a🙂…'],
  ])('cuts to three code points, the last one an ellipsis', (text, cut) => expect(cutText(text, 3)).toBe(cut));

  it('returns a text that is valid as a message', () => {
    for (const text of ['x', '🙂']) expect(textFault(cutText(text.repeat(MAX_TEXT_LENGTH + 1)))).toBeUndefined();
  });
});

describe(codePointsOf.name, () => {
  it.each(['', 'abc', 'e\u0301', '🙂a🙂', '\ud83d', '\ude00\ud83d', 'a\ude00', '👨‍👩‍👧‍👦'])(
    'counts the code points of %j',
    (text) => {
      expect(codePointsOf(text)).toBe([...text].length);
    },
  );
});
