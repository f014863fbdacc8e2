import { DiscordAdapter, DiscordModule, type DiscordOptions } from '#platforms';
import { DiscordFake } from '../fakes/discord.fake';
import { eventually } from '../support/eventually';
import type { RetryAfter } from '../fakes/fault-queue';
import type { ConformanceHarness, PlatformFiles, RefusalCase, SentToPlatform } from './harness';
import { PlatformHarness } from './platform-harness';

const TIMINGS = { answerMs: 2_000, sendMs: 1_000, silenceMs: 1_000, readyMs: 10_000, pauseMs: 20 };
const WRONG_TOKEN = 'NDI0Mg.wrong.and-secret';

export class DiscordHarness extends PlatformHarness<DiscordAdapter> implements ConformanceHarness {
  readonly usualPauseMs = 1_000;
  /** A guild channel; `directRecipient` is a person. */
  readonly recipient = '77';
  readonly directRecipient = '55';
  protected readonly operations = { send: 'messages', connect: 'bot' };
  readonly neverFailsWith = {
    window_closed: 'Discord has no reply window',
    opted_out: 'Discord has no marketing preferences',
    auth_failed: 'a refused token ends the connection',
  };

  private firstToken: string | undefined;

  private constructor(readonly fake: DiscordFake) {
    super();
    fake.addChannel(this.recipient, 'general');
  }

  static async start(options: Partial<DiscordOptions> = {}): Promise<DiscordHarness> {
    const harness = new DiscordHarness(await new DiscordFake().start());
    harness.use(await harness.adapterWith(options));
    return harness;
  }

  /** The adapter of a second bot. */
  static async startFurther(): Promise<DiscordHarness> {
    const fake = new DiscordFake({ token: 'NTI1Mg.second.and-secret', botId: '5252' });
    const harness = new DiscordHarness(await fake.start());
    const first = new DiscordFake();
    harness.firstToken = first.token;
    await harness.startBeside(first, ({ headers }) => headers.authorization === `Bot ${first.token}`);
    harness.use(await harness.adapterWith({}));
    return harness;
  }

  readonly files: PlatformFiles = {
    operations: { lookUp: 'refresh-urls', download: 'file' },
    tellsLength: false,
    receive: (chatId, bytes, caption) => {
      // The URL has expired, so the adapter must request a new one.
      const file = { ...this.fake.files.add(bytes, {}, Date.now() - 1_000), width: 800, height: 400 };
      this.fake.receiveText({ userId: chatId, text: caption, extra: { attachments: [file] } });
    },
    expire: (ref) => this.fake.files.expire(ref),
    fail: (fault) => this.fake.fail(fault),
  };

  get secret(): string {
    return this.fake.token;
  }

  async adapterWith(options: Partial<DiscordOptions>): Promise<DiscordAdapter> {
    const all: DiscordOptions = { token: this.fake.token, apiUrl: this.apiUrl, timings: TIMINGS, ...options };
    const { firstToken } = this;
    const adapter = await this.adapterOf(
      DiscordAdapter,
      DiscordModule.forRoot({ ...all, ...(firstToken && { token: firstToken }) }),
    );
    return firstToken ? this.furtherThan(adapter, { bot_token: all.token }) : adapter;
  }

  async withBadCredentials(): Promise<{ adapter: DiscordAdapter; secret: string }> {
    return { adapter: await this.adapterWith({ token: WRONG_TOKEN }), secret: WRONG_TOKEN };
  }

  async quiet(): Promise<DiscordAdapter> {
    return this.adapter;
  }

  async receive({ chatId, text }: { chatId: string; text: string }): Promise<void> {
    this.fake.receiveText({ userId: chatId, text });
  }

  async allConfirmed(): Promise<void> {
    await eventually('every message is confirmed', () => {
      // A heartbeat confirms messages, and Discord wants one only every 41 s.
      this.fake.gateway.askForHeartbeat();
      expect(this.unconfirmed()).toBe(0);
    });
  }

  unconfirmed(): number {
    return this.fake.gateway.unconfirmed('MESSAGE_CREATE');
  }

  askForProof(): void {
    this.fake.gateway.askForHeartbeat();
  }

  sent(): SentToPlatform[] {
    return this.fake.sent.map(({ message, text, formatted, body, files }) => {
      const reply = message.message_reference as { message_id: string } | undefined;
      return {
        recipient: message.channel_id,
        text,
        silent: (Number(body.flags ?? 0) & (1 << 12)) !== 0,
        formatted,
        repliesTo: reply?.message_id,
        files,
      };
    });
  }

  options(): string[] {
    return this.components().flatMap(({ label, options = [] }) => label ?? options.map((option) => option.label));
  }

  async tap(title: string): Promise<void> {
    const { custom_id } = this.components().find(({ label }) => label === title)!;
    const { acknowledged } = this.fake;
    const before = acknowledged.length;
    this.fake.tap({ component_type: 2, custom_id }, this.fake.sent.at(-1)!);
    await this.fake.waitUntil(
      () => acknowledged.length > before,
      () => 'the tap is not acknowledged',
    );
  }

  private components(): { label?: string; custom_id: string; options?: { label: string }[] }[] {
    const rows = this.fake.sent.at(-1)!.body['components'] as {
      components: ReturnType<DiscordHarness['components']>;
    }[];
    return rows.flatMap(({ components }) => components);
  }

  rejectNextMarkup(): void {
    // Discord accepts every text.
  }

  throttleConnection(retryAfter: RetryAfter): void {
    this.fake.fail({ method: 'bot', status: 429, retryAfter });
  }

  async onlyConnection(): Promise<void> {
    const { gateway } = this.fake;
    await this.fake.waitUntil(
      () => gateway.connections === 1,
      () => `there are ${gateway.connections} connections`,
    );
  }

  async takeConnection(): Promise<void> {
    // Nothing to take: Discord serves every session of a bot.
  }

  refusals(): RefusalCase[] {
    const refused = REFUSALS.map(([status, code, failure, retryable = false]) => ({
      name: `${status} ${code}`,
      expected: { code: failure, platform_code: String(code || status), retryable },
      arrange: () => {
        this.fake.fail({ method: 'messages', status, body: { code, message: 'No' } });
        return this.recipient;
      },
    }));
    // The adapter sends twice, which the nonce makes safe; both requests hang.
    return [...refused, this.throttledSend(), this.unansweredSend(2), ...this.withoutDirectMessage()];
  }

  private withoutDirectMessage(): RefusalCase[] {
    return [
      {
        name: 'neither a channel nor a user',
        expected: { code: 'recipient_unreachable', platform_code: '50033', retryable: false },
        arrange: () => '1',
      },
      {
        name: 'not a number',
        expected: { code: 'recipient_unreachable', platform_code: null, retryable: false },
        arrange: () => 'person#1234',
      },
      {
        name: 'a person who takes no messages',
        expected: { code: 'blocked_by_recipient', platform_code: '50007', retryable: false },
        arrange: () => {
          this.fake.closeDirectMessages('56');
          return '56';
        },
      },
      {
        name: 'the direct message cannot be opened now',
        expected: { code: 'platform_unavailable', platform_code: '503', retryable: true },
        arrange: () => {
          this.fake.fail({ method: 'channels', status: 503 });
          return '57';
        },
      },
    ];
  }
}

const REFUSALS: readonly [status: number, code: number, RefusalCase['expected']['code'], boolean?][] = [
  [403, 50_007, 'blocked_by_recipient'],
  [403, 50_278, 'not_permitted'],
  [403, 50_001, 'not_permitted'],
  [403, 50_013, 'not_permitted'],
  [400, 50_035, 'content_rejected'],
  [400, 50_006, 'content_rejected'],
  [400, 200_000, 'content_rejected'],
  [403, 40_003, 'rate_limited', true],
  [403, 20_016, 'rate_limited', true],
  [401, 0, 'platform_unavailable', true],
];
