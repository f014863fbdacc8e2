import { WithoutThinking, withoutThinking } from './thinking';

function streamed(pieces: readonly string[]): string {
  const filter = new WithoutThinking();
  return pieces.map((piece) => filter.add(piece)).join('') + filter.end();
}

describe(WithoutThinking.name, () => {
  it.each([
    ['Hello', 'Hello'],
    ['<think>Hm.</think>Hello', 'Hello'],
    [' \n<think>Hm.</think>\n\nHello', 'Hello'],
    ['<think>Hm.', ''],
    ['  <thin', '  <thin'],
    ['  Hello', '  Hello'],
    ['<b>Hello</b>', '<b>Hello</b>'],
    ['', ''],
  ])('makes %j into %j, whole and in single characters', (text, answer) => {
    expect(withoutThinking(text)).toBe(answer);
    expect(streamed(Array.from(text))).toBe(answer);
  });

  it('reads each piece once, also if the text begins with much white space', () => {
    const startedAt = performance.now();
    expect(streamed([...Array<string>(150_000).fill(' '), 'Hello'])).toHaveLength(150_005);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
