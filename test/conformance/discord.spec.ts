import { GatewayIntentBits } from 'discord.js';
import { describeAdapter } from './adapter.conformance';
import { DiscordHarness } from './discord.harness';
import { failureOf, PLAIN, Session } from './session';

const JSON_TYPE = { 'content-type': 'application/json' };

const NOT_APPLICABLE = {
  conflict: 'Discord serves every session of a bot; the lease keeps instances apart',
  'rejected markup': 'Discord reads any text as markdown and rejects none',
};
describeAdapter('Discord', () => DiscordHarness.start(), NOT_APPLICABLE);
describeAdapter('Discord, second account', () => DiscordHarness.startFurther(), NOT_APPLICABLE);

describe('The Discord gateway connection', () => {
  let discord: DiscordHarness;
  const session = new Session(async () => (discord = await DiscordHarness.start()));
  beforeEach(() => session.open());
  afterEach(() => session.close());

  const contents = (): string[] => session.sink.messages.map(({ content }) => content);
  const identifies = (): number => discord.fake.gateway.log.filter(({ op }) => op === 'identify').length;
  const resumes = (): number => discord.fake.gateway.log.filter(({ op }) => op === 'resume').length;
  /** A person writes before and after a break that the connection survives. */
  async function survives(breakConnection: () => void): Promise<void> {
    const { running } = await session.connect();
    await discord.receive({ chatId: '41', text: 'before' });
    await session.sink.until(({ messages }) => messages.length === 1);
    breakConnection();
    await discord.receive({ chatId: '41', text: 'during' });
    await discord.receive({ chatId: '42', text: 'a new person' });
    await session.sink.until(({ messages }) => messages.length >= 3);
    await discord.allConfirmed();
    expect(contents().toSorted()).toEqual(['a new person', 'before', 'during']);
    await session.disconnect();
    await expect(running).resolves.toBeUndefined();
  }

  it('requests only the intents it needs, and identifies itself', async () => {
    await session.connect();
    expect(session.sink.proofs[0]).toEqual({ bot_username: 'gateway_bot', bot_id: '4242' });
    const { Guilds, GuildMessages, GuildMessageReactions, DirectMessages, DirectMessageReactions, MessageContent } =
      GatewayIntentBits;
    const messages = GuildMessages | DirectMessages | MessageContent;
    const intents = Guilds | messages | GuildMessageReactions | DirectMessageReactions;
    expect(discord.fake.gateway.log).toEqual([{ op: 'identify', intents }]);
  });

  it.each([
    ['when Discord asks to reconnect', () => discord.fake.gateway.askToReconnect()],
    ['after a session that is invalid for now', () => discord.fake.gateway.interrupt()],
    ['after an unknown error (4000)', () => discord.fake.gateway.close(4000)],
    ['after a broken connection', () => discord.fake.gateway.drop()],
  ])('resumes without losing anything %s', async (_when, breakConnection) => {
    await survives(breakConnection);
    expect([identifies(), resumes()]).toEqual([1, 1]);
  });

  it('resumes on another connection when a heartbeat is not answered before the next', async () => {
    const { gateway } = discord.fake;
    const usualMs = gateway.heartbeatMs;
    gateway.heartbeatMs = 1_000;
    await survives(() => {
      gateway.hang();
      gateway.heartbeatMs = usualMs;
    });
    expect([identifies(), resumes()]).toEqual([1, 1]);
  });

  it.each([{ code: 0, message: '404: Not Found' }, { code: 10_013 }, { message: 'Channel not found' }, 'nothing here'])(
    'treats a recipient as a user if its channel is answered 404 with %j',
    async (body) => {
      discord.fake.fail({ method: 'messages', status: 404, body });
      const [outcome] = await session.send('Hello', {}, discord.directRecipient);
      expect(outcome?.accepted).toBe(true);
      expect(discord.sent().map(({ recipient }) => recipient)).toEqual([
        discord.fake.directMessage(discord.directRecipient).id,
      ]);
    },
  );

  it('identifies again after an invalid session, and requests missed messages of known channels', async () => {
    await session.connect();
    discord.fake.addChannel('78', 'support');
    await discord.receive({ chatId: '41', text: 'direct' });
    discord.fake.receiveText({ userId: '42', channelId: '78', text: 'guild' });
    await session.sink.until(({ messages }) => messages.length === 2);
    discord.fake.gateway.invalidate();
    for (let index = 0; index < 130; index += 1) await discord.receive({ chatId: '41', text: `missed ${index}` });
    discord.fake.receiveText({ userId: '42', channelId: '78', text: 'missed guild', mentionsBot: true });
    await session.sink.until(({ messages }) => messages.length === 133);
    const direct = session.sink.messages.filter(({ participant }) => participant.id === '41');
    expect(direct.map(({ content }) => content)).toEqual([
      'direct',
      ...Array.from({ length: 130 }, (_, index) => `missed ${index}`),
    ]);
    const guild = session.sink.messages.find(({ content }) => content === 'missed guild');
    expect(guild).toMatchObject({ participant: { id: '78', name: 'support' }, expectsReply: true });
    expect(identifies()).toBe(2);
  });

  it('resumes in a new connection when the server restarts', async () => {
    const { running } = await session.connect();
    await discord.goDown();
    expect(await failureOf(running)).toMatchObject({ fatal: false, fault: { code: 'unreachable' } });
    await discord.receive({ chatId: '41', text: 'while it was down' });
    await discord.comeBack();
    await session.connect();
    await discord.allConfirmed();
    await discord.receive({ chatId: '41', text: 'afterwards' });
    await session.sink.until(({ messages }) => messages.length === 2);
    expect(contents()).toEqual(['while it was down', 'afterwards']);
    expect([identifies(), resumes()]).toEqual([1, 1]);
    expect(discord.fake.gateway.connections).toBe(1);
  });

  it.each([
    [4004, 'unauthorized', 'developer portal'],
    [4010, 'invalid_shard', '4010'],
    [4011, 'sharding_required', 'more servers'],
    [4012, 'invalid_api_version', 'Update the gateway'],
    [4013, 'invalid_intents', 'intents'],
    [4014, 'disallowed_intents', 'Message Content Intent'],
  ])('stops after close code %d, with a reason an operator can act on', async (closeCode, code, words) => {
    discord.fake.gateway.refusesWith = closeCode;
    const error = await failureOf(session.run());
    expect(error).toMatchObject({ fatal: true, fault: { code } });
    expect(error.message).toContain(words);
  });

  it('waits when the limit of identifies is used up', async () => {
    discord.fake.remainingIdentifies = 0;
    const error = await failureOf(session.run());
    expect(error).toMatchObject({ fatal: false, retryAfterMs: 60_000, fault: { code: 'session_limit' } });
    expect(identifies()).toBe(0);
  });

  it('connects to a server that omits the limit of identifies', async () => {
    const { url } = discord.fake.gateway;
    discord.fake.fail({ method: 'bot', status: 200, body: { url }, times: Infinity });
    await session.connect();
    expect(identifies()).toBe(1);
  });

  it('accepts an API URL with a version', async () => {
    await session.connect(await discord.adapterWith({ apiUrl: `${discord.fake.url}/v10/` }));
    expect(discord.fake.requests.map(({ path }) => path)).toContain('/v10/gateway/bot');
  });

  it('accepts numeric ids', async () => {
    await session.connect();
    const fields = { channel_id: 7001, author: { id: 41, username: 'ada' }, type: 0 };
    discord.fake.addChannel('78', 'support');
    discord.fake.gateway.dispatch('MESSAGE_CREATE', { ...fields, id: 5001, content: 'direct' });
    const guild = { channel_id: 78, guild_id: 900, content: '<@4242> you', mentions: [{ id: 4242 }] };
    discord.fake.gateway.dispatch('MESSAGE_CREATE', { ...fields, id: 5002, ...guild });
    await session.sink.until(({ messages }) => messages.length === 2);
    expect(session.sink.messages.toSorted((one, other) => one.content.localeCompare(other.content))).toMatchObject([
      {
        platformMessageId: '5002',
        participant: { id: '78', name: 'support' },
        sender: { id: '41' },
        expectsReply: true,
      },
      { platformMessageId: '5001', participant: { id: '41' }, address: '7001' },
    ]);
    await discord.allConfirmed();
    expect(session.sink.warnings).toEqual([]);
  });

  it('skips a message that cannot be stored, logs it, and continues', async () => {
    session.sink.refuses = ({ content }) => {
      if (content === 'poison') throw new Error('could not be stored', { cause: new TypeError('not a function') });
      return false;
    };
    await session.connect();
    await discord.receive({ chatId: '41', text: 'poison' });
    await discord.receive({ chatId: '41', text: 'afterwards' });
    await discord.allConfirmed();
    expect(contents()).toEqual(['afterwards']);
    expect(session.sink.warnings.map(({ code }) => code)).toEqual(['not_stored', 'internal_error']);
  });

  it('skips a malformed message with a warning, and continues', async () => {
    await session.connect();
    discord.fake.receiveText({ userId: '41', text: 'no date', extra: { timestamp: 'never' } });
    await discord.receive({ chatId: '41', text: 'sense' });
    await discord.allConfirmed();
    expect(contents()).toEqual(['sense']);
    expect(session.sink.warnings).toEqual([expect.objectContaining({ code: 'unusable_update' })]);
  });

  it('survives any payload of the gateway', async () => {
    await session.connect();
    discord.fake.addChannel('78');
    const { gateway } = discord.fake;
    gateway.write('not JSON', 'null', '[]', '{}', '{"op": 99}', '{"op": 0, "t": "MESSAGE_CREATE", "s": 2, "d": null}');
    const malformed = [
      {},
      { id: 'x', channel_id: '78', author: null },
      { id: '1', channel_id: {}, author: { id: '2' } },
    ];
    for (const event of malformed) gateway.dispatch('MESSAGE_CREATE', event);
    for (const t of ['GUILD_CREATE', 'CHANNEL_CREATE', 'TYPING_START']) gateway.dispatch(t, {});
    await discord.receive({ chatId: '41', text: 'sense' });
    await discord.allConfirmed();
    expect(contents()).toEqual(['sense']);
    expect(new Set(session.sink.warnings.map(({ code }) => code))).toEqual(new Set(['unusable_update']));
  });

  it('receives in the second application of a process', async () => {
    await session.connect(await discord.adapterWith({}));
    await discord.receive({ chatId: '41', text: 'to the second' });
    await discord.allConfirmed();
    expect(contents()).toEqual(['to the second']);
  });

  it('works in two applications of a process', async () => {
    const other = await discord.adapterWith({ token: undefined });
    expect(other.unconfigured).toBe('not configured');
    await session.connect();
    await discord.receive({ chatId: '41', text: 'to the first' });
    await session.sink.until(({ messages }) => messages.length === 1);
  });
});

describe('People and channels on Discord', () => {
  let discord: DiscordHarness;
  const session = new Session(async () => (discord = await DiscordHarness.start()));
  beforeEach(() => session.open());
  afterEach(() => session.close());

  it('are known by the user id, and addressed by the channel of the direct message', async () => {
    await session.connect();
    discord.fake.receiveText({ userId: '41', username: 'ada', text: 'Hello' });
    await session.sink.until(({ messages }) => messages.length === 1);
    const person = { id: '41', name: 'Person 41', username: 'ada' };
    expect(session.sink.messages[0]).toMatchObject({
      participant: person,
      sender: person,
      address: discord.fake.directMessage('41').id,
      expectsReply: true,
    });
  });

  it("in a guild get a reply only when addressed, and the bot's messages are never stored", async () => {
    await session.connect();
    const [own] = await session.send('I am here');
    const replyTo = own?.accepted ? own.platformMessageId : '';
    const say = (text: string, more: object = {}): unknown =>
      discord.fake.receiveText({ userId: '41', channelId: discord.recipient, text, ...more });
    say('among ourselves');
    say('<@4242> you', { mentionsBot: true });
    say('answer', { replyTo });
    say('robot', { mentionsBot: true, extra: { webhook_id: '5' } });
    await session.sink.until(({ messages }) => messages.length === 4);
    expect(
      session.sink.messages.map(({ content, mentionsBot, expectsReply }) => [content, mentionsBot && expectsReply]),
    ).toEqual([
      ['among ourselves', false],
      ['@gateway_bot you', true],
      ['answer', true],
      ['robot', false],
    ]);
    expect(session.sink.messages[0]?.participant).toEqual({ id: discord.recipient, name: 'general', username: null });
    expect(session.sink.messages.map(({ answerAsReply, inContext }) => [answerAsReply, inContext])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, undefined],
      [true, false],
    ]);
  });

  it('get one direct message channel per user, without mentions', async () => {
    await session.send('@everyone one', {}, discord.directRecipient);
    await session.send('two', {}, discord.directRecipient);
    const { id } = discord.fake.directMessage(discord.directRecipient);
    expect(discord.sent().map(({ recipient, text }) => [recipient, text])).toEqual([
      [id, '@everyone one'],
      [id, 'two'],
    ]);
    expect(discord.fake.requestsOf('channels')).toHaveLength(1);
    expect(discord.fake.sent[0]?.body.allowed_mentions).toEqual({ parse: [], replied_user: false });
  });

  it('choose an option of a menu', async () => {
    await session.connect();
    const options = ['nine', 'ten'].map((id) => ({ id, title: `At ${id}`, description: 'free' }));
    const [outcome] = await session.offer('When?', { type: 'list', options });
    discord.fake.tap({ component_type: 3, custom_id: 'options', values: ['ten'] }, discord.fake.sent[0]!);
    await session.sink.until(({ messages }) => messages.length === 1);
    const platformMessageId = outcome?.accepted && outcome.platformMessageId;
    expect(session.sink.messages).toMatchObject([
      { content: 'At ten', mentionsBot: true, interactiveReply: { id: 'ten', title: 'At ten', platformMessageId } },
    ]);
  });

  it('do not mention the bot with a tap in a direct message', async () => {
    await session.connect();
    await session.send('Well?', {}, discord.directRecipient);
    discord.fake.tap({ component_type: 2, custom_id: 'nine' }, discord.fake.sent[0]!);
    await session.sink.until(({ messages }) => messages.length === 1);
    expect(session.sink.messages[0]).not.toHaveProperty('mentionsBot');
  });

  it('get the same part of a message once, however often it is sent', async () => {
    const request = { messageId: 'msg_1', environment: 'live', recipient: discord.recipient, options: PLAIN } as const;
    const { signal } = new AbortController();
    const first = await discord.adapter.sendPart(request, { index: 0, text: 'Once' }, signal);
    expect(await discord.adapter.sendPart(request, { index: 0, text: 'Once' }, signal)).toEqual(first);
    await discord.adapter.sendPart(request, { index: 1, text: 'Another part' }, signal);
    expect(discord.sent().map(({ text }) => text)).toEqual(['Once', 'Another part']);
  });

  it('get a new direct message channel if the known one is gone', async () => {
    const recipient = discord.directRecipient;
    const request = { messageId: 'msg_1', environment: 'live', recipient, address: '99', options: PLAIN } as const;
    const { signal } = new AbortController();
    for (const index of [0, 1])
      expect(await discord.adapter.sendPart(request, { index, text: 'Hello' }, signal)).toMatchObject({
        accepted: true,
      });
    const { id } = discord.fake.directMessage(recipient);
    expect(discord.sent().map((sent) => sent.recipient)).toEqual([id, id]);
    expect(discord.fake.requestsOf('channels')).toHaveLength(1);
  });

  it('may have numeric ids in responses', async () => {
    discord.fake.addChannel('93001');
    discord.fake.fail({ method: 'messages', status: 404, body: { code: 10_003, message: 'Unknown Channel' } });
    discord.fake.fail({ method: 'channels', status: 200, body: { id: 93_001 } });
    discord.fake.fail({ method: 'messages', status: 200, body: { id: 123_456_789 } });
    const [outcome] = await session.send('Hello', {}, discord.directRecipient);
    expect(outcome).toEqual({ accepted: true, platformMessageId: '123456789' });
    const [, second] = discord.fake.requestsOf('messages');
    expect(second?.path).toContain('/channels/93001/');
  });

  it('may not have an id too large for an exact number in a response', async () => {
    const body = '{"id":1234567890123456789}';
    discord.fake.fail({ method: 'messages', status: 200, body, headers: JSON_TYPE, times: 2 });
    const [outcome] = await session.send('Hello');
    expect(outcome).toMatchObject({ accepted: false, failure: { code: 'ambiguous' } });
  });

  it('still get messages after Discord rejected the token once', async () => {
    discord.fake.fail({ method: 'messages', status: 401 });
    const [refused] = await session.send('No');
    expect(refused).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
    const [accepted] = await session.send('Yes');
    expect(accepted?.accepted).toBe(true);
  });

  it('see typing in the channel and in the direct message', async () => {
    const { id } = discord.fake.directMessage(discord.directRecipient);
    await discord.adapter.showTyping(discord.recipient, undefined);
    await discord.adapter.showTyping(discord.directRecipient, id);
    expect(discord.fake.typing).toEqual([discord.recipient, id]);
  });
});
