import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import { endAtSentence } from './end-at-sentence';

describe(endAtSentence.name, () => {
  it.each([
    ['the last whole sentence', 'We open at nine. Call us bef', 'We open at nine. …'],
    ['a whole sentence that the limit did not cut', 'We open at nine.', 'We open at nine. …'],
    ['the last whole word without a whole sentence', 'We open at ni', 'We open at…'],
    ['a word without another', 'Welcom', 'Welcom…'],
    ['a sentence of a script without spaces', '我们九点开门。请在', '我们九点开门。 …'],
    ['the last line of a list', '- Bread\n- Cake\n- Rol', '- Bread\n- Cake …'],
  ])('ends at %s', (_, text, expected) => {
    expect(endAtSentence(text)).toBe(expected);
  });
});

it.each(['. ', '.', 'a', 'a ', ' ', '。', '\n', '1.'])(
  'cutting an answer of %j takes less than 50 ms of CPU',
  async (unit) => {
    const answer = `${unit.repeat(16_384 / unit.length)}b`;
    expect(await leastCpuOf(() => endAtSentence(answer))).toBeLessThan(LONGEST_MS);
  },
);
