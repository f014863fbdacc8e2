import { setImmediate as nextTurn } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { AnswerInPieces } from './answer-pieces';

const message = (content: string) => ({
  id: 'msg_1',
  content,
  created_at: new Date(0),
  failure: null,
  missing: undefined,
});

describe(AnswerInPieces.name, () => {
  it.each([
    { name: 'a page', value: { success: true, data: [message('a'), message('"\\\n\u2028é🦊')], meta: { total: 2 } } },
    { name: 'a conversation', value: { data: { messages: [message('a')], name: 'x' }, meta: {} } },
    { name: 'empty lists and objects', value: { data: [], meta: {}, more: [[], {}, [[{}]]] } },
    {
      name: 'what JSON leaves out',
      value: { a: undefined, b: () => 1, c: [undefined, () => 1], d: NaN, e: Symbol('x') },
    },
    { name: 'dates and their like', value: { at: new Date(0), list: [new Date(1), { toJSON: () => 7 }] } },
    { name: 'names that need quotes', value: { 'a"b': 1, '': 2, é: [3] } },
    { name: 'a text', value: 'text' },
    { name: 'nothing', value: null },
  ])('writes $name as JSON.stringify does', async ({ value }) => {
    const answer = await AnswerInPieces.of(value);
    expect(answer.bytes).toBe(Buffer.byteLength(JSON.stringify(value)));
    expect(await text(answer)).toBe(JSON.stringify(value));
  });

  it('lets other work run between the pieces', async () => {
    const value = { data: Array.from({ length: 20 }, () => message('🦊'.repeat(16_384))) };
    const state = { isDone: false };
    let turns = 0;
    const made = AnswerInPieces.of(value).finally(() => (state.isDone = true));
    while (!state.isDone) {
      turns += 1;
      await nextTurn();
    }
    expect((await text(await made)) === JSON.stringify(value)).toBe(true);
    expect(turns).toBeGreaterThan(5);
  });
});
