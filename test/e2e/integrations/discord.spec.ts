import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { DiscordFake } from '../../fakes/discord.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

interface Shown {
  status: string;
  details: object;
  error?: string;
}

/** Discord tells the interval with the connection, so that it takes a new one for a beat that is missed soon. */
async function missHeartbeat(fake: DiscordFake): Promise<void> {
  const { gateway } = fake;
  const usualMs = gateway.heartbeatMs;
  gateway.heartbeatMs = 1_500;
  gateway.askToReconnect();
  await fake.waitUntil(
    () => gateway.log.at(-1)?.op === 'resume',
    () => 'the bot has not resumed',
  );
  gateway.heartbeatMs = usualMs;
  gateway.hang();
}

/** Four people, each alone with the bot, and one who asks it in a channel of a guild. */
const WRITERS: { userId: string; channelId?: string; mentionsBot?: boolean }[] = [
  { userId: '41' },
  { userId: '42' },
  { userId: '43' },
  { userId: '44' },
  { userId: '45', channelId: '78', mentionsBot: true },
];

describe('Discord', () => {
  let discord: DiscordFake;
  let anthropic: AnthropicFake;
  let gateway: TestGateway;

  const startGateway = (databaseUrl?: string): Promise<TestGateway> => {
    const env = { DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url };
    return startTestGateway({ anthropic, env, databaseUrl });
  };

  beforeEach(async () => {
    discord = await new DiscordFake().start();
    discord.addChannel('78', 'help');
    anthropic = await new AnthropicFake().start();
    gateway = await startGateway();
  });

  afterEach(async () => {
    await gateway.stop();
    await Promise.all([discord.stop(), anthropic.stop()]);
  });

  const shown = (status: string) =>
    eventually(`Discord is ${status}`, async () => {
      const found = await gateway.integration<Shown>('discord');
      expect(found.status).toBe(status);
      return found;
    });

  const everybodyWrites = (text: string): void => {
    for (const writer of WRITERS) discord.receiveText({ ...writer, text });
  };

  /** What each person was answered, once everything that arrived is stored and nothing is under way. */
  const answers = (rounds: readonly string[]) =>
    eventually(
      `everybody is answered ${rounds.length} times`,
      async () => {
        const [counts] = await gateway.sql<{ inbound: number; busy: number }>(
          `SELECT count(*) FILTER (WHERE direction = 'inbound')::int AS inbound,
                  count(*) FILTER (WHERE status = 'pending')::int AS busy FROM messages`,
        );
        expect(counts).toEqual({ inbound: WRITERS.length * rounds.length, busy: 0 });
        const byWriter = WRITERS.map(({ userId, channelId = discord.directMessage(userId).id }) =>
          discord.sent.filter(({ message }) => message.channel_id === channelId).map(({ text }) => text),
        );
        // In a channel of a guild the assistant sees who wrote.
        const prompt = ({ userId, channelId }: (typeof WRITERS)[number], text: string): string =>
          channelId === undefined ? text : `Person ${userId}: ${text}`;
        expect(byWriter).toEqual(WRITERS.map((writer) => rounds.map((text) => `You said: ${prompt(writer, text)}`)));
      },
      { timeoutMs: 25_000 },
    );

  it('is connected as its bot, and distinguishes people from channels', async () => {
    await gateway.connected('discord');
    expect((await shown('connected'))?.details).toEqual({ bot_username: 'gateway_bot', bot_id: '4242' });

    discord.addChannel('77', 'general');
    discord.receiveText({ userId: '41', channelId: '77', text: 'among ourselves' });
    discord.receiveText({ userId: '42', channelId: '77', text: 'bot?', mentionsBot: true });
    discord.receiveText({ userId: '41', text: 'alone' });
    await discord.waitForSent(2);
    expect(discord.sent.map(({ message }) => message.channel_id).toSorted()).toEqual([
      discord.directMessage('41').id,
      '77',
    ]);
    const participants = await gateway.sql('SELECT participant_id AS id FROM conversations ORDER BY 1');
    expect(participants).toEqual([{ id: '41' }, { id: '77' }]);
  });

  it('gets a reply in a guild channel, without messages of other bots in the context', async () => {
    await gateway.connected('discord');
    const extra = { author: { id: '99', username: 'weather', bot: true } };
    discord.receiveText({ userId: '99', channelId: '78', text: 'Rain at noon.', extra });
    const asked = discord.receiveText({ userId: '41', channelId: '78', text: 'bot?', mentionsBot: true });
    const alone = discord.receiveText({ userId: '42', text: 'alone' });
    await discord.waitForSent(2);
    const inGuild = discord.sent.find(({ message }) => message.channel_id === '78')!;
    expect(inGuild.body).toMatchObject({ message_reference: { message_id: asked.id } });
    const direct = discord.sent.find(({ message }) => message.channel_id === alone.channel_id)!;
    expect(direct.body.message_reference).toBeUndefined();
    expect(JSON.stringify(anthropic.requests.map(({ body }) => body))).not.toContain('Rain');
    expect(await gateway.sql(`SELECT content FROM messages WHERE content = 'Rain at noon.'`)).toHaveLength(1);
  });

  it('can edit and delete people’s messages, without a new answer', async () => {
    await gateway.connected('discord');
    const password = discord.receiveText({ userId: '41', text: 'my password is hunter2' });
    const crates = discord.receiveText({ userId: '42', text: 'three crates' });
    await discord.waitForSent(2);
    const contents = () =>
      gateway.sql<{ content: string; options: { deleted: boolean; reactions?: object } }>(
        `SELECT content, options FROM messages WHERE received_id = ANY($1) ORDER BY received_id`,
        [[password.id, crates.id]],
      );
    discord.edit(crates, { embeds: [{ type: 'link', title: 'A preview' }] });
    discord.edit(crates, { content: 'thirteen crates' });
    discord.react(crates, '42', '👍');
    discord.delete(password);
    await eventually('both changes are stored', async () =>
      expect(await contents()).toMatchObject([
        { content: '[message deleted]', options: { deleted: true } },
        { content: 'thirteen crates', options: { deleted: false, reactions: { 42: { emoji: '👍' } } } },
      ]),
    );
    discord.receiveText({ userId: '41', text: 'and now?' });
    await discord.waitForSent(3);
    expect(discord.sent).toHaveLength(3);
    expect(anthropic.requests.at(-1)!.body.messages).toMatchObject([
      { role: 'user', content: '[message deleted]' },
      { role: 'assistant' },
      { role: 'user', content: 'and now?' },
    ]);
    const events = await gateway.sql(
      `SELECT body::jsonb #>> '{data,change}' AS change FROM events WHERE type = 'message.updated' ORDER BY 1`,
    );
    expect(events).toEqual([{ change: 'deleted' }, { change: 'edited' }]);
  });

  it('shows quoted messages to clients and the assistant, even unknown ones', async () => {
    await gateway.connected('discord');
    discord.receiveText({ userId: '41', text: 'When do you open?' });
    await discord.waitForSent(1);
    await eventually('the answer is stored as sent', async () =>
      expect(await gateway.sql(`SELECT FROM messages WHERE status IN ('sent', 'delivered')`)).toHaveLength(1),
    );
    const { message } = discord.sent[0]!;
    discord.receiveText({ userId: '41', text: 'is that still true?', replyTo: message.id });
    const unknown = {
      type: 19,
      message_reference: { message_id: '1234567890123456789' },
      referenced_message: { id: '1234567890123456789', author: discord.bot, content: 'Delivery is free above 50 euro' },
    };
    discord.receiveText({ userId: '42', text: 'and that?', extra: unknown });
    await discord.waitForSent(3);
    const { body } = await gateway.api<MessageDto[]>('GET', '/messages?expand=details&per_page=100');
    const messageOf = (words: string) => body.data.find(({ content }) => content === words)!;
    const answer = body.data.find(({ content }) => content === 'You said: When do you open?')!;
    expect(messageOf('is that still true?').reply_to).toMatchObject({ message_id: answer.id, content: answer.content });
    expect(messageOf('and that?').reply_to).toMatchObject({
      message_id: null,
      content: 'Delivery is free above 50 euro',
    });
    expect(anthropic.requests.map(({ body: asked }) => JSON.stringify(asked)).join('\n')).toContain(
      JSON.stringify('> Delivery is free above 50 euro\nand that?').slice(1, -1),
    );
  });

  it('gets sends to a user and to a channel, or the reason of a refusal', async () => {
    await gateway.connected('discord');
    discord.addChannel('77');
    discord.closeDirectMessages('66');
    const send = async (recipient: string, message: string) => {
      const { body } = await gateway.api<{ status: string; error?: { code: string; platform_code: string } }>(
        'POST',
        '/messages/send',
        { platform: 'discord', recipient, message },
      );
      return body.data;
    };
    expect(await send('77', `${'word '.repeat(500)}end`)).toMatchObject({ status: 'sent' });
    expect(await send('55', 'Hello')).toMatchObject({ status: 'sent' });
    expect(discord.sent.map(({ message }) => message.channel_id)).toEqual(['77', '77', discord.directMessage('55').id]);
    const error = { code: 'blocked_by_recipient', platform_code: '50007' };
    expect(await send('66', 'Hello')).toMatchObject({ status: 'failed', error });
    discord.fail({ method: 'messages', kind: 'drop_after' });
    expect(await send('55', 'Once')).toMatchObject({ status: 'sent' });
    expect(discord.sent.filter(({ text }) => text === 'Once')).toHaveLength(1);
  });

  type Act = (fake: DiscordFake) => unknown;
  it.each<[string, Act, Act]>([
    ['a request to reconnect', (fake) => fake.gateway.askToReconnect(), () => undefined],
    ['a broken connection', (fake) => fake.gateway.drop(), () => undefined],
    ['a missed heartbeat', missHeartbeat, () => undefined],
    ['an invalid session', (fake) => fake.gateway.invalidate(), () => undefined],
    ['a server that goes down', (fake) => fake.stop(), (fake) => shown('reconnecting').then(() => fake.start())],
    [
      'a restart of the server that forgets every session',
      (fake) => fake.stop(),
      async (fake) => {
        await shown('reconnecting');
        fake.gateway.invalidate();
        await fake.start();
      },
    ],
  ])('loses nothing and gets nothing twice over %s', async (_what, breakConnection, mend) => {
    await gateway.connected('discord');
    everybodyWrites('before');
    await answers(['before']);
    await breakConnection(discord);
    everybodyWrites('during');
    await mend(discord);
    await answers(['before', 'during']);
    everybodyWrites('after');
    await answers(['before', 'during', 'after']);
    await eventually('one connection remains', () => expect(discord.gateway.connections).toBe(1));
  });

  it('gets answers to what was written while the gateway was stopped', async () => {
    await gateway.connected('discord');
    everybodyWrites('before');
    await answers(['before']);
    await gateway.stop();
    // Longer than Discord keeps a session: there is nothing to resume.
    discord.gateway.invalidate();
    everybodyWrites('meanwhile');
    gateway = await startGateway(gateway.databaseUrl);
    await answers(['before', 'meanwhile']);
  });

  it('reports which intent to enable, and does not retry until a reconnect', async () => {
    await gateway.connected('discord');
    discord.gateway.refusesWith = 4014;
    discord.gateway.invalidate();
    expect((await shown('disconnected'))?.error).toContain('Message Content Intent');
    const lost = await gateway.sql<{ data: object }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'integration.disconnected'`,
    );
    expect(lost).toEqual([{ data: expect.objectContaining({ platform: 'discord', auto_reconnect: false }) as object }]);
    const calls = discord.requests.length;
    discord.gateway.refusesWith = undefined;
    await gateway.api('POST', '/integrations/discord/reconnect');
    await shown('connected');
    expect(discord.requests.slice(calls).map(({ operation }) => operation)).toEqual(['bot', 'bot']);
  });

  it('waits for an operator when the token is refused, and connects once it is corrected', async () => {
    await gateway.connected('discord');
    const { token } = discord;
    discord.token = 'another';
    discord.gateway.close(4004);
    expect((await shown('disconnected'))?.error).toContain('developer portal');
    const calls = discord.requests.length;
    discord.token = token;
    await gateway.api('POST', '/integrations/discord/reconnect');
    await shown('connected');
    // Our question and discord.js' own: nothing was called in between.
    expect(discord.requests.slice(calls).map(({ operation }) => operation)).toEqual(['bot', 'bot']);
  });
});
