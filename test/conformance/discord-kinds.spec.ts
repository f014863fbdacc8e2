import { DISCORD_TABLES } from '#platforms';
import { EXAMPLES } from './discord-examples';
import { DiscordReceiver } from './discord-receiver';

const ROWS = DISCORD_TABLES.flatMap(({ title, rows }) => rows.map(({ kind, becomes }) => ({ title, kind, becomes })));

describe('What Discord sends', () => {
  const receiver = new DiscordReceiver();
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());

  it.each(ROWS)('$title: $kind becomes a $becomes', async ({ title, kind, becomes }) => {
    const example = EXAMPLES[title]?.[kind];
    if (!example) throw new Error('the row has no example: add one to discord-examples.ts');
    const { t, d, content } = example;
    const received = await (t === 'MESSAGE_CREATE' ? receiver.message(d) : receiver.receive(t, d));
    const { messages, changes, reactions, notices, leftOut } = received;
    expect(messages.map((message) => message.content)).toEqual(content === undefined ? [] : [content]);
    const counts = { message: messages, change: changes, reaction: reactions, notice: notices, counted: leftOut };
    expect(Object.entries(counts).filter(([, list]) => list.length > 0)).toEqual([
      [becomes === 'part' ? 'message' : becomes, [expect.anything()]],
    ]);
    expect(leftOut.filter((word) => word !== kind && word !== t)).toEqual([]);
  });

  it('has examples only for rows of the table', () => {
    for (const { title, rows } of DISCORD_TABLES)
      expect(Object.keys(EXAMPLES[title]!).toSorted()).toEqual(rows.map(({ kind }) => kind).toSorted());
  });

  it.each([77, 255])('a message of the new type %d is stored but not answered', async (type) => {
    const { messages } = await receiver.message({ type, content: 'Hello' });
    expect(messages).toMatchObject([
      { content: `[unsupported message: ${type}]`, kind: 'other', participant: { id: '41' }, expectsReply: false },
    ]);
  });

  it('a message without readable content is stored but not answered', async () => {
    const { messages } = await receiver.message({});
    expect(messages).toMatchObject([{ content: '[unsupported message: empty]', expectsReply: false }]);
  });

  it('a component of a new type keeps its text', async () => {
    const part = { type: 99, label: 'Pick', components: [{ type: 10, content: 'One' }] };
    const { messages } = await receiver.message({ components: [part] });
    expect(messages[0]?.content).toBe('[unsupported component: 99]\nPick\nOne');
  });

  it.each([
    ['NEW_EVENT', 'NEW_EVENT'],
    ['no label\n', 'unknown_event'],
  ])('the new event %j is counted', async (t, kind) => {
    expect((await receiver.receive(t, { id: '1' })).leftOut).toEqual([kind]);
  });
});
