import { TelegramReceiver } from './telegram-receiver';

const bot = { id: 4242, is_bot: true, first_name: 'Gateway' };
const ada = { id: 41, is_bot: false, first_name: 'Ada' };
const team = { id: -100_10, type: 'supergroup', title: 'Team' };

describe('Changes that Telegram sends', () => {
  const receiver = new TelegramReceiver();
  beforeAll(() => receiver.start());
  beforeEach(() => receiver.clear());
  afterAll(() => receiver.stop());

  it.each([
    [
      'a text with a hidden link',
      { text: 'here', entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.example' }] },
      'here (https://a.example)',
    ],
    ['a rich message', { rich_message: { blocks: [{ type: 'footer', text: 'new' }] } }, 'new'],
    [
      'a checklist',
      { checklist: { title: 'Move in', tasks: [{ id: 1, text: 'Keys', completion_date: 1 }] } },
      '[checklist] Move in: Keys (done)',
    ],
  ])('an edit has the text of %s', async (_, fields, content) => {
    await receiver.edit(fields);
    const at = new Date(1_795_860_009_000);
    expect(receiver.sink.changes).toEqual([{ platformMessageId: '41:7', authorId: '41', content, at }]);
  });

  it('an edit of a service message is counted', async () => {
    await receiver.edit({ pinned_message: {} });
    expect(receiver.sink.leftOut).toEqual(['edited_message']);
  });

  const member = (status: string, more: object = {}) => ({ user: bot, status, ...more });
  const changed = (before: object, after: object, chat: object = team) =>
    receiver.receive({
      my_chat_member: { chat, from: ada, date: 1_795_860_000, old_chat_member: before, new_chat_member: after },
    });

  it.each([
    ['left', 'member'],
    ['kicked', 'administrator'],
  ])('an event says that a bot that was %s is a %s of a group', async (before, after) => {
    await changed(member(before), member(after));
    expect(receiver.sink.notices).toEqual([
      {
        kind: 'added_to_group',
        severity: 'info',
        message: 'The bot was added to the group Team.',
        data: {
          chat: { id: '-10010', name: 'Team', username: null, type: 'supergroup' },
          by: { id: '41', name: 'Ada', username: null },
          status: after,
        },
        occurredAt: new Date(1_795_860_000_000),
      },
    ]);
  });

  it.each([
    ['member', 'kicked', {}],
    ['administrator', 'left', {}],
    ['member', 'restricted', { is_member: false }],
  ])('a warning says that a bot that was a %s is %s', async (before, after, more) => {
    await changed(member(before), member(after, more), { id: -7, type: 'channel' });
    expect(receiver.sink.notices).toEqual([
      expect.objectContaining({
        kind: 'removed_from_group',
        severity: 'warning',
        message: 'The bot was removed from the channel -7: it can no longer write there.',
      }),
    ]);
  });

  it.each([
    ['rights changed', member('member'), member('administrator'), team],
    ['rights were restricted', member('member'), member('restricted', { is_member: true }), team],
    ['person blocked it', member('member'), member('kicked'), { ...ada, type: 'private' }],
    ['person allowed it again', member('kicked'), member('member'), { ...ada, type: 'private' }],
  ])('an update is counted when the bot’s %s', async (_, before, after, chat) => {
    await changed(before, after, chat);
    expect([receiver.sink.notices, receiver.sink.leftOut]).toEqual([[], ['my_chat_member']]);
  });

  const tap = (chat: object) => {
    const query = { id: 'c', from: ada, chat_instance: '1', data: 'yes', message: { message_id: 2, date: 0, chat } };
    return receiver.receive({ callback_query: query });
  };

  it('a tap in a group mentions the bot, and one in a private chat does not', async () => {
    await tap(team);
    await tap({ ...ada, type: 'private' });
    expect(receiver.sink.messages.map(({ mentionsBot }) => mentionsBot)).toEqual([true, undefined]);
  });

  it('a tap on an expired message has the id of the option, and no title', async () => {
    await tap({ ...ada, type: 'private' });
    expect(receiver.sink.messages).toEqual([
      expect.objectContaining({
        content: 'yes',
        interactiveReply: { id: 'yes', title: '', platformMessageId: '41:2' },
      }),
    ]);
  });

  it('a tap without a message or data is counted', async () => {
    for (const more of [{ data: 'yes', inline_message_id: 'i' }, { game_short_name: 'chess' }])
      await receiver.receive({ callback_query: { id: 'c', from: ada, chat_instance: '1', ...more } });
    expect(receiver.sink.leftOut).toEqual(['callback_query', 'callback_query']);
  });
});
