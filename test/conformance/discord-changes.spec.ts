import type { DiscordMessage } from '../fakes/discord-types';
import { CHANNEL, DiscordReceiver, GUILD } from './discord-receiver';

describe('Changes that Discord sends', () => {
  const receiver = new DiscordReceiver();
  beforeAll(() =>
    receiver.start((fake) => {
      fake.addGuild(GUILD, 'Team', '31');
      fake.addChannel(CHANNEL, 'general', GUILD);
    }),
  );
  afterAll(() => receiver.stop());

  async function written(text: string, extra: object = {}, channelId?: string): Promise<DiscordMessage> {
    let message!: DiscordMessage;
    await receiver.after(() => {
      message = receiver.fake.receiveText({ userId: '41', text, channelId, extra: { ...extra } });
    });
    return message;
  }

  it('an edit has the author, the time and the whole text', async () => {
    const message = await written('three crates', {
      attachments: [{ filename: 'list.png', content_type: 'image/png' }],
    });
    const { changes } = await receiver.after(() => receiver.fake.edit(message, { content: 'thirteen crates' }));
    const at = new Date(message['edited_timestamp'] as string);
    const content = '[image list.png] thirteen crates';
    expect(changes).toEqual([{ platformMessageId: message.id, authorId: '41', content, at }]);
  });

  it.each([
    ['a preview of a link', { embeds: [{ type: 'link', url: 'https://a.example', title: 'A' }] }],
    ['a pin', { pinned: true }],
  ])('%s is counted', async (_, fields) => {
    const message = await written('https://a.example');
    const { changes, leftOut } = await receiver.after(() => receiver.fake.edit(message, fields));
    expect([changes, leftOut]).toEqual([[], ['MESSAGE_UPDATE']]);
  });

  it('an edit of the bot’s own message is counted', async () => {
    const author = receiver.fake.bot;
    const update = { id: '5', channel_id: '7001', author, content: 'new', edited_timestamp: '2026-11-28T08:01:00Z' };
    expect(await receiver.receive('MESSAGE_UPDATE', update)).toMatchObject({
      changes: [],
      leftOut: ['MESSAGE_UPDATE'],
    });
  });

  it('a deletion empties each of its messages, and has no author', async () => {
    const [one, two, three] = [await written('one'), await written('two'), await written('three')];
    const deletion = ({ id }: DiscordMessage) => ({
      platformMessageId: id,
      content: null,
      at: expect.any(Date) as Date,
    });
    const single = await receiver.after(() => receiver.fake.delete(one));
    expect(single.changes).toEqual([deletion(one)]);
    const { changes } = await receiver.after(() => receiver.fake.delete(two, three));
    expect(changes).toEqual([deletion(two), deletion(three)]);
  });

  it('a reaction names its person and conversation', async () => {
    const message = await written('Done?', {}, CHANNEL);
    const about = {
      platformMessageId: message.id,
      participantId: CHANNEL,
      authorId: '42',
      at: expect.any(Date) as Date,
    };
    const added = await receiver.after(() => receiver.fake.react(message, '42', '👍'));
    expect(added.reactions).toEqual([{ ...about, emoji: '👍' }]);
    const removed = await receiver.after(() => receiver.fake.react(message, '42', '👍', true));
    expect(removed.reactions).toEqual([{ ...about, emoji: null }]);
    const direct = await written('Hello');
    const { reactions } = await receiver.after(() => receiver.fake.react(direct, '41', '❤️'));
    expect(reactions).toMatchObject([{ participantId: '41', authorId: '41', emoji: '❤️' }]);
  });

  it('the bot’s own reaction is counted', async () => {
    const message = await written('Done?');
    const { reactions, leftOut } = await receiver.after(() => receiver.fake.react(message, receiver.fake.bot.id, '👍'));
    expect([reactions, leftOut]).toEqual([[], ['MESSAGE_REACTION_ADD']]);
  });

  it('a server that the bot joins and leaves is reported once', async () => {
    const added = await receiver.after(() => receiver.fake.addGuild('905', 'Shop', '35'));
    const data = { chat: { id: '905', name: 'Shop', username: null, type: 'guild' } };
    expect(added.notices).toEqual([
      {
        kind: 'added_to_group',
        severity: 'info',
        message: 'The bot was added to the server Shop.',
        data,
        occurredAt: expect.any(Date) as Date,
      },
    ]);
    // Discord cannot reach the guild for a while.
    const away = await receiver.receive('GUILD_DELETE', { id: '905', unavailable: true });
    const back = await receiver.receive('GUILD_CREATE', { id: '905', name: 'Shop' });
    expect([away.notices, back.notices]).toEqual([[], []]);
    const removed = await receiver.after(() => receiver.fake.removeGuild('905'));
    expect(removed.notices).toMatchObject([
      {
        kind: 'removed_from_group',
        severity: 'warning',
        message: 'The bot was removed from the server Shop: it can no longer write there.',
        data,
      },
    ]);
  });

  it('a server that the bot was already in is not reported', async () => {
    expect((await receiver.receive('GUILD_CREATE', { id: GUILD, name: 'Team' })).notices).toEqual([]);
  });
});
