import type { TelegramMessage } from '@gramio/types/objects';
import { TELEGRAM_TABLES } from '#platforms';
import type { UpdateKind } from '../../libs/platforms/telegram/inbound/kinds/update-kinds';
import { MESSAGE_EXAMPLES, UPDATE_EXAMPLES } from './telegram-examples';
import { TelegramReceiver } from './telegram-receiver';

const [updates, fields] = TELEGRAM_TABLES.map(({ rows }) => rows);

describe('What Telegram sends', () => {
  const receiver = new TelegramReceiver();
  beforeAll(() => receiver.start());
  beforeEach(() => receiver.clear());
  afterAll(() => receiver.stop());

  it.each(updates!.map(({ kind, becomes }) => [kind, becomes] as const))(
    'an update %s becomes: %s',
    async (kind, becomes) => {
      await receiver.receive({ [kind]: UPDATE_EXAMPLES[kind as UpdateKind] });
      const { sink } = receiver;
      expect({
        message: sink.messages.length,
        change: sink.changes.length,
        reaction: sink.reactions.length,
        notice: sink.notices.length,
        counted: sink.leftOut,
      }).toEqual({
        message: 0,
        change: 0,
        reaction: 0,
        notice: 0,
        ...(becomes !== 'counted' && { [becomes]: 1 }),
        counted: becomes === 'counted' ? [kind] : [],
      });
    },
  );

  it.each(fields!.map(({ kind, becomes }) => [kind, becomes] as const))(
    'a message with %s becomes: %s',
    async (kind, becomes) => {
      const [example, content] = MESSAGE_EXAMPLES[kind as keyof TelegramMessage];
      expect(example).toHaveProperty(kind);
      await receiver.message(example);
      const { messages, leftOut, migrations } = receiver.sink;
      expect(messages).toHaveLength(becomes === 'message' || becomes === 'part' ? 1 : 0);
      expect(messages.map((message) => message.content)).toEqual(content === undefined ? [] : [content]);
      expect(leftOut).toEqual(becomes === 'counted' ? [kind] : []);
      expect(migrations).toHaveLength(becomes === 'change' ? 1 : 0);
    },
  );

  it('has exactly one example for each row', () => {
    expect(Object.keys(UPDATE_EXAMPLES).toSorted()).toEqual(updates!.map(({ kind }) => kind).toSorted());
    expect(Object.keys(MESSAGE_EXAMPLES).toSorted()).toEqual(fields!.map(({ kind }) => kind).toSorted());
  });
});
