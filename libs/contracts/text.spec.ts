import { codePointsOf, MAX_TEXT_LENGTH, sanitizeText, textFault } from './text';

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

  it('cuts a text, and leaves no half of a surrogate pair', () => {
    expect(sanitizeText('abc', 2)).toBe('ab');
    expect(sanitizeText('a🙂', 2)).toBe('a\ufffd');
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
