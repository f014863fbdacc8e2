import { CHANNEL, DiscordReceiver, GUILD } from './discord-receiver';

const nora = { id: '4100000000000000001', username: 'nora', global_name: 'Nora' };
const usual = {
  id: '1500000000000000001',
  channel_id: '1400000000000000001',
  author: nora,
  timestamp: '2026-11-28T08:00:00.000000+00:00',
};

/** Inputs of people's reports about gateways, with what a message must become of them. */
describe('What Discord sends, from bug reports', () => {
  const receiver = new DiscordReceiver();
  beforeAll(() =>
    receiver.start((fake) => {
      fake.addGuild(GUILD, 'Team', '31');
      fake.addChannel(CHANNEL, 'general', GUILD);
    }),
  );
  afterAll(() => receiver.stop());

  it('a reply includes the text that it answers', async () => {
    const quoted = { id: '1234567890123456789', author: { id: '1000000000000000000', bot: true } };
    const { messages } = await receiver.message({
      ...usual,
      type: 19,
      content: 'is that still true?',
      message_reference: { message_id: quoted.id },
      referenced_message: { ...quoted, content: 'Delivery is free above 50 euro' },
    });
    expect(messages).toMatchObject([{ content: 'is that still true?', expectsReply: true }]);
    expect(messages[0]?.replyTo).toEqual({
      platformMessageId: quoted.id,
      sender: { id: '1000000000000000000', name: null, username: null },
      content: 'Delivery is free above 50 euro',
    });
  });

  it('a reply to a deleted message has its id', async () => {
    const { messages } = await receiver.message({
      type: 19,
      content: 'Yes',
      message_reference: { type: 0, message_id: '5' },
      referenced_message: null,
    });
    expect(messages[0]?.replyTo).toEqual({ platformMessageId: '5' });
  });

  it.each([
    ['a forwarded message', { message_reference: { type: 1, message_id: '5', channel_id: '6' } }],
    ['a message of a followed channel', { flags: 2, message_reference: { message_id: '5', channel_id: '6' } }],
    ['a message whose reference has no id', { message_reference: { channel_id: '6' } }],
  ])('%s quotes nothing', async (_, fields) => {
    const { messages } = await receiver.message({ content: 'News', ...fields });
    expect(messages[0]).not.toHaveProperty('replyTo');
  });

  it('a deleted message is emptied, and an edited one replaced', async () => {
    const deleted = { id: usual.id, channel_id: usual.channel_id };
    expect((await receiver.receive('MESSAGE_DELETE', deleted)).changes).toMatchObject([
      { platformMessageId: usual.id, content: null },
    ]);
    const update = { id: '1500000000000000002', content: 'thirteen crates please' };
    const at = '2026-11-28T08:01:00Z';
    expect((await receiver.receive('MESSAGE_UPDATE', { ...update, edited_timestamp: at })).changes).toEqual([
      { platformMessageId: update.id, content: update.content, at: new Date(at) },
    ]);
    expect((await receiver.receive('MESSAGE_UPDATE', update)).changes).toEqual([]);
  });

  it('a forwarded message has its text, its embeds and its files', async () => {
    const original = {
      id: '5',
      channel_id: '6',
      content: 'Offer <@41>',
      mentions: [{ id: '41', username: 'ada' }],
      embeds: [{ type: 'rich', title: 'Shoes', description: 'Blue, 42', url: 'https://a.example/shoes' }],
      attachments: [{ filename: 'cat.png', content_type: 'image/png', url: 'https://cdn.example/cat.png', size: 3 }],
      components: [{ type: 1, components: [{ type: 2, label: 'Buy', custom_id: 'buy' }] }],
    };
    const { messages } = await receiver.after(() => void receiver.fake.forward(original, '41'));
    expect(messages).toMatchObject([
      {
        content:
          '[forwarded] [image cat.png] Offer @ada\n[embed] Shoes (https://a.example/shoes)\nBlue, 42\n[button Buy]',
        kind: 'other',
        attachments: [{ kind: 'image', ref: 'https://cdn.example/cat.png' }],
        expectsReply: true,
      },
    ]);
  });

  it('a link preview is omitted if its URL is in the text', async () => {
    const previews = [
      { type: 'article', url: 'https://a.example/canonical', title: 'A' },
      { type: 'rich', url: 'https://b.example', title: 'B' },
    ];
    const content = 'https://a.example https://b.example';
    const { messages } = await receiver.message({ content, embeds: previews });
    expect(messages).toMatchObject([{ content, kind: 'text' }]);
  });

  it('a poll shows its question and its answers', async () => {
    const { messages } = await receiver.after(() => void receiver.fake.poll('Lunch?', ['Pizza', 'Salad'], '41'));
    expect(messages).toMatchObject([{ content: '[poll] Lunch? Pizza / Salad', kind: 'other', expectsReply: true }]);
  });

  it('a mention of the bot’s own role is a mention', async () => {
    const say = (role: string) =>
      receiver.after(
        () =>
          void receiver.fake.receiveText({
            userId: '41',
            channelId: CHANNEL,
            text: `<@&${role}> hi`,
            extra: { mention_roles: [role] },
          }),
      );
    expect((await say('31')).messages).toMatchObject([{ content: '@gateway_bot hi', mentionsBot: true }]);
    expect((await say('32')).messages).toMatchObject([{ content: '<@&32> hi', mentionsBot: false }]);
    await receiver.receive('GUILD_ROLE_CREATE', { guild_id: GUILD, role: { id: '32', tags: { bot_id: '4242' } } });
    expect((await say('32')).messages).toMatchObject([{ content: '@gateway_bot hi', mentionsBot: true }]);
  });

  it('messages missed during a lost session have the same text', async () => {
    const first = await receiver.after(() => void receiver.fake.receiveText({ userId: '55', text: 'before' }));
    expect(first.messages).toHaveLength(1);
    receiver.fake.gateway.invalidate();
    const missed = () => void receiver.fake.poll('Lunch?', ['Pizza', 'Salad'], '55');
    const { messages } = await receiver.after(missed, 'messages');
    expect(messages).toMatchObject([{ content: '[poll] Lunch? Pizza / Salad', participant: { id: '55' } }]);
  });
});
