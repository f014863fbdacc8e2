import { TelegramAdapter, TelegramModule, type TelegramOptions } from '#platforms';
import { TelegramFake } from '../fakes/telegram.fake';
import { TelegramParams } from '../fakes/telegram-params';
import type { RetryAfter } from '../fakes/fault-queue';
import type { ConformanceHarness, PlatformFiles, RefusalCase, SentToPlatform } from './harness';
import { PlatformHarness } from './platform-harness';

const TIMINGS = { pollSeconds: 1, answerMs: 2_000, sendMs: 1_000, silenceMs: 1_000, webhookCheckMs: 20, pauseMs: 20 };
const SLOW_TIMINGS = { ...TIMINGS, pollSeconds: 25 };
const WRONG_TOKEN = '4242:wrong-and-secret';

export class TelegramHarness extends PlatformHarness<TelegramAdapter> implements ConformanceHarness {
  readonly usualPauseMs = 1_000;
  readonly recipient = '77';
  protected readonly operations = { send: 'sendMessage', connect: 'getMe' };
  readonly neverFailsWith = {
    window_closed: 'a bot may write for ever to a person who wrote to it once',
    opted_out: 'Telegram has no marketing preferences',
    auth_failed: 'a refused token ends the connection',
  };

  private taps = 0;
  private firstToken: string | undefined;

  private constructor(readonly fake: TelegramFake) {
    super();
  }

  static async start(options: Partial<TelegramOptions> = {}): Promise<TelegramHarness> {
    const harness = new TelegramHarness(await new TelegramFake().start());
    harness.use(await harness.adapterWith(options));
    return harness;
  }

  /** The adapter of a second bot. */
  static async startFurther(): Promise<TelegramHarness> {
    const harness = new TelegramHarness(await new TelegramFake({ token: '5353:second-and-secret' }).start());
    const first = new TelegramFake();
    harness.firstToken = first.token;
    await harness.startBeside(first, ({ url }) => url!.includes(first.token));
    harness.use(await harness.adapterWith({}));
    return harness;
  }

  readonly files: PlatformFiles = {
    operations: { lookUp: 'getFile', download: 'file' },
    tellsLength: true,
    receive: (chatId, bytes, caption) => {
      const file_id = this.fake.addFile(bytes);
      const [small, large] = [90, 800].map((width) => ({ file_id, width, height: width / 2, file_size: bytes.length }));
      this.fake.receiveContent(Number(chatId), { photo: [small, large], caption });
    },
    expire: (ref) => this.fake.expireFile(ref),
    fail: (fault) => this.fake.fail(fault),
  };

  get secret(): string {
    return this.fake.token;
  }

  async adapterWith(options: Partial<TelegramOptions>): Promise<TelegramAdapter> {
    const all = { token: this.fake.token, apiRoot: this.apiUrl, timings: TIMINGS, ...options };
    const { firstToken } = this;
    const adapter = await this.adapterOf(
      TelegramAdapter,
      TelegramModule.forRoot({ ...all, ...(firstToken && { token: firstToken }) }),
    );
    return firstToken ? this.furtherThan(adapter, { bot_token: all.token }) : adapter;
  }

  async withBadCredentials(): Promise<{ adapter: TelegramAdapter; secret: string }> {
    return { adapter: await this.adapterWith({ token: WRONG_TOKEN }), secret: WRONG_TOKEN };
  }

  async patient() {
    return { adapter: await this.adapterWith({ timings: SLOW_TIMINGS }), asked: () => this.fake.waitForPoll() };
  }

  async quiet(): Promise<TelegramAdapter> {
    return this.use(await this.adapterWith({ timings: SLOW_TIMINGS }));
  }

  async receive({ chatId, text }: { chatId: string; text: string }): Promise<void> {
    this.fake.receiveText({ chatId: Number(chatId), text });
  }

  allConfirmed(): Promise<void> {
    const none = (): boolean => this.unconfirmed() === 0;
    return this.fake.waitUntil(none, () => `${this.unconfirmed()} updates are not confirmed`);
  }

  unconfirmed(): number {
    return this.fake.pendingUpdates.length;
  }

  sent(): SentToPlatform[] {
    return this.fake.sent.map(({ chat_id, text, entities, params: raw, file }) => {
      const params = new TelegramParams(raw);
      const reply = params.json('reply_parameters') as { message_id: number } | undefined;
      return {
        recipient: String(chat_id),
        text,
        silent: params.flag('disable_notification'),
        formatted: entities.length > 0,
        repliesTo: reply && `${chat_id}:${reply.message_id}`,
        files: file ? [file] : [],
      };
    });
  }

  options(): string[] {
    return this.keyboard().map(({ text }) => text);
  }

  async tap(title: string): Promise<void> {
    const { message_id, chat_id } = this.fake.sent.at(-1)!;
    const { callback_data: data } = this.keyboard().find(({ text }) => text === title)!;
    const from = { id: chat_id, is_bot: false, first_name: 'Ada' };
    const reply_markup = { inline_keyboard: [this.keyboard()] };
    const message = { message_id, chat: { id: chat_id, type: 'private' }, date: 0, reply_markup };
    this.taps += 1;
    this.fake.receive({ callback_query: { id: `tap-${this.taps}`, from, chat_instance: '1', data, message } });
    await this.fake.waitUntil(
      () => this.fake.requestsOf('answerCallbackQuery').length === this.taps,
      () => 'the tap is not acknowledged',
    );
  }

  private keyboard(): { text: string; callback_data: string }[] {
    const markup = new TelegramParams(this.fake.sent.at(-1)!.params).json('reply_markup') as {
      inline_keyboard: { text: string; callback_data: string }[][];
    };
    return markup.inline_keyboard.flat();
  }

  rejectNextMarkup(): void {
    this.refuseNextSend(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 7");
  }

  throttleConnection(retryAfter: RetryAfter): void {
    this.fake.fail({ method: 'getUpdates', status: 429, retryAfter });
  }

  async onlyConnection(): Promise<void> {
    await this.fake.waitUntil(
      () => this.fake.isPolled,
      () => 'no client polls',
    );
  }

  async takeConnection(): Promise<void> {
    await this.onlyConnection();
    await fetch(`${this.fake.url}/bot${this.fake.token}/getUpdates?timeout=0`);
  }

  refusals(): RefusalCase[] {
    const refused = REFUSALS.map(([status, description, code, retryable = false]) => ({
      name: `${status} ${description}`,
      expected: { code, platform_code: String(status), retryable },
      arrange: () => this.refuseNextSend(status, description),
    }));
    return [...refused, this.throttledSend(), this.unansweredSend()];
  }

  private refuseNextSend(status: number, description: string): string {
    const body = { ok: false, error_code: status, description };
    this.fake.fail({ method: 'sendMessage', status, body });
    return this.recipient;
  }
}

const REFUSALS: readonly [number, string, RefusalCase['expected']['code'], boolean?][] = [
  [403, 'Forbidden: bot was blocked by the user', 'blocked_by_recipient'],
  [403, 'Forbidden: user is deactivated', 'recipient_unreachable'],
  [403, 'Forbidden: bot was kicked from the supergroup chat', 'recipient_unreachable'],
  [403, 'Forbidden: bot is not a member of the channel chat', 'recipient_unreachable'],
  [403, "Forbidden: bot can't initiate conversation with a user", 'not_permitted'],
  [400, 'Bad Request: chat not found', 'recipient_unreachable'],
  [400, 'Bad Request: PEER_ID_INVALID', 'recipient_unreachable'],
  [400, 'Bad Request: group chat was deactivated', 'recipient_unreachable'],
  [400, 'Bad Request: not enough rights to send text messages to the chat', 'not_permitted'],
  [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'not_permitted'],
  [400, 'Bad Request: message is too long', 'content_rejected'],
  [401, 'Unauthorized', 'platform_unavailable', true],
  [500, 'Internal Server Error', 'platform_unavailable', true],
  [502, 'Bad Gateway', 'platform_unavailable', true],
];
