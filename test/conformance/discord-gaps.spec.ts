import type { LastSeen } from '#platforms';
import { eventually } from '../support/eventually';
import { DiscordHarness } from './discord.harness';
import { Session } from './session';

const NO_ACCESS = { status: 403, code: 50_001 };
const BROKEN = { status: 500, code: 0 };

describe('Gaps in what Discord sent', () => {
  let discord: DiscordHarness;
  const session = new Session(async () => (discord = await DiscordHarness.start()));
  beforeEach(() => session.open());
  const slower: Session[] = [];
  afterEach(() => Promise.all([session, ...slower.splice(0)].map((opened) => opened.close())));

  const contents = (): string[] => session.sink.messages.map(({ content }) => content);
  const channelOf = (userId: string): string => discord.fake.directMessage(userId).id;
  const asked = () => discord.fake.requestsOf('messages').filter(({ method }) => method === 'GET');
  const gapWarnings = () => session.sink.warnings.filter(({ code }) => code === 'gap');

  /** Each person writes once. Then the session is lost, and each writes again before the bot has a new session. */
  async function gapFor(people: readonly string[], arrange: () => void): Promise<void> {
    await session.connect();
    for (const userId of people) await discord.receive({ chatId: userId, text: `${userId} before` });
    await session.sink.until(({ messages }) => messages.length === people.length);
    arrange();
    discord.fake.gateway.invalidate();
    for (const userId of people) await discord.receive({ chatId: userId, text: `${userId} missed` });
    await discord.fake.waitForConnection();
  }

  it('are skipped with a warning in a channel closed to the bot, and filled in others', async () => {
    await gapFor(['41', '42'], () => discord.fake.refuseChannel(channelOf('41'), NO_ACCESS));
    await session.sink.until(({ messages }) => messages.length === 3);
    await eventually('the refusal is told', () => expect(gapWarnings()).toHaveLength(1));
    expect(gapWarnings()[0]?.message).toContain('were not read and will not be');
    // Newer messages of that channel arrive by the gateway.
    await discord.receive({ chatId: '41', text: 'after' });
    await session.sink.until(({ messages }) => messages.length === 4);
    await discord.allConfirmed();
    expect(contents()).toEqual(['41 before', '42 before', '42 missed', 'after']);
    // The adapter retries a gap at each heartbeat, and before it stores newer messages of the channel.
    const beats = discord.fake.gateway.heartbeats;
    discord.fake.gateway.askForHeartbeat();
    await discord.fake.waitUntil(
      () => discord.fake.gateway.heartbeats > beats,
      () => 'no heartbeat',
    );
    await discord.receive({ chatId: '41', text: 'later' });
    await session.sink.until(({ messages }) => messages.length === 5);
    expect(asked().filter(({ path }) => path.includes(channelOf('41')))).toHaveLength(1);
  });

  it('delay nothing if a channel is temporarily unreadable, and are filled later', async () => {
    await gapFor(['41', '42'], () => discord.fake.refuseChannel(channelOf('41'), BROKEN));
    await discord.receive({ chatId: '41', text: 'after' });
    await session.sink.until(({ messages }) => messages.length === 4);
    expect(contents()).not.toContain('41 missed');
    discord.fake.refuseChannel(channelOf('41'), undefined);
    await eventually('the gap is filled', () => {
      discord.fake.gateway.askForHeartbeat();
      expect(contents()).toContain('41 missed');
    });
    const ids = session.sink.messages.filter(({ content }) => content === 'after');
    // The gap query returned this message a second time, under the same id.
    expect(new Set(ids.map(({ platformMessageId }) => platformMessageId)).size).toBe(1);
  });

  it('are filled after the pause that Discord asks for', async () => {
    await gapFor(['41'], () => discord.fake.fail({ method: 'messages', status: 429, retryAfter: 0.2 }));
    await session.sink.until(({ messages }) => messages.length === 2);
    expect(contents()).toEqual(['41 before', '41 missed']);
    expect(gapWarnings()).toEqual([]);
  });

  it.each([true, false])('are filled in the order of their ids, even if the server returns %j', async (oldestFirst) => {
    discord.fake.oldestFirst = oldestFirst;
    await gapFor(['41', '41', '41'], () => undefined);
    await session.sink.until(({ messages }) => messages.length === 6);
    const ids = session.sink.messages.map(({ platformMessageId }) => BigInt(platformMessageId));
    expect(ids).toEqual(ids.toSorted((one, other) => Number(one - other)));
  });

  it('are not requested if nothing was ever stored', async () => {
    await session.connect();
    await discord.receive({ chatId: '41', text: 'first' });
    await session.sink.until(({ messages }) => messages.length === 1);
    expect(asked()).toEqual([]);
  });

  it('are requested after a start for the 500 last used channels, few at once', async () => {
    const people = Array.from({ length: 60 }, (_, index) => String(1_000 + index));
    const seen = people.map((userId): LastSeen => {
      const { id } = discord.fake.receiveText({ userId, text: 'stored' });
      return { participantId: userId, participantName: null, address: channelOf(userId), platformMessageId: id };
    });
    for (const userId of people) await discord.receive({ chatId: userId, text: `missed by ${userId}` });
    // 60 instead of 500 channels: 500 would take nine seconds and show the same.
    const lastSeen = jest.fn(async (_limit: number) => seen);
    session.sink.lastSeen = lastSeen;
    discord.fake.delay(5, 'messages');
    await session.connect();
    await session.sink.until(({ messages }) => messages.length === people.length);
    expect(lastSeen.mock.calls).toEqual([[500]]);
    expect(new Set(contents())).toEqual(new Set(people.map((userId) => `missed by ${userId}`)));
    expect(discord.fake.mostAtOnce).toBe(5);
  });
  it('delay new messages by at most one request in an outage, then stop requests to Discord', async () => {
    // pauseMs: the adapter may try a second time only after a minute.
    const timings = { answerMs: 2_000, sendMs: 1_000, readyMs: 10_000, pauseMs: 60_000 };
    const slow = new Session(async () => (discord = await DiscordHarness.start({ timings })));
    await slow.open();
    slower.push(slow);
    const people = Array.from({ length: 40 }, (_, index) => String(1_000 + index));
    const seen = people.map((userId): LastSeen => {
      const { id } = discord.fake.receiveText({ userId, text: 'stored' });
      discord.fake.refuseChannel(channelOf(userId), BROKEN);
      return { participantId: userId, participantName: null, address: channelOf(userId), platformMessageId: id };
    });
    slow.sink.lastSeen = async () => seen;
    await slow.connect();
    for (const userId of people) await discord.receive({ chatId: userId, text: 'now' });
    await slow.sink.until(({ messages }) => messages.length === people.length);
    // When the third request fails, up to five are in flight.
    expect(asked().length).toBeLessThanOrEqual(7);
  });
});
