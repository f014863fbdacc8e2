import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type InboundSink, WhatsAppAdapter, WhatsAppModule, type WhatsAppOptions } from '#platforms';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import type { RetryAfter } from '../fakes/fault-queue';
import type { ConformanceHarness, PlatformFiles, RefusalCase, SentToPlatform } from './harness';
import { PlatformHarness } from './platform-harness';

const TIMINGS = { probeMs: 20, pauseMs: 20, answerMs: 2_000, sendMs: 1_000, silenceMs: 1_000 };
const WRONG_TOKEN = 'EAAG-wrong-and-secret';

export class WhatsAppHarness extends PlatformHarness<WhatsAppAdapter> implements ConformanceHarness {
  readonly usualPauseMs = 60_000;
  readonly recipient = '491701234567';
  override readonly refusedToken = 'auth_failed';
  protected readonly operations = { send: 'messages', connect: 'phone' };
  readonly neverFailsWith = { blocked_by_recipient: 'Meta names a block as 131026, which has other causes too' };
  private first: WhatsAppFake | undefined;
  private server!: Server;
  private sink: InboundSink | undefined;

  private constructor(readonly fake = new WhatsAppFake()) {
    super();
  }

  static start(): Promise<WhatsAppHarness> {
    return new WhatsAppHarness().started();
  }

  /** The adapter of a second number. */
  static async startFurther(): Promise<WhatsAppHarness> {
    const account = { accessToken: 'EAAG-second-and-secret', phoneNumberId: '206540352242922', appSecret: 'second' };
    const harness = new WhatsAppHarness(new WhatsAppFake(account));
    const first = new WhatsAppFake();
    harness.first = first;
    await harness.startBeside(first, ({ headers }) => headers.authorization === `Bearer ${first.account.accessToken}`);
    return harness.started();
  }

  private async started(): Promise<this> {
    await this.fake.start();
    this.use(await this.adapterWith({}));
    this.server = createServer((request, response) => void this.serve(request, response));
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  readonly files: PlatformFiles = {
    operations: { lookUp: 'media_url', download: 'file' },
    tellsLength: true,
    receive: (from, bytes, caption) => {
      const id = this.fake.media.add(bytes);
      this.fake.receive({ type: 'image', image: { id, mime_type: 'image/png', sha256: '', caption } }, { from });
    },
    expire: (ref) => this.fake.media.expire(ref),
    fail: (fault) => this.fake.fail(fault),
  };

  get secret(): string {
    return this.fake.account.accessToken;
  }

  async adapterWith(options: Partial<WhatsAppOptions>): Promise<WhatsAppAdapter> {
    const apiUrl = this.fake.apiUrl.replace(this.fake.url, this.apiUrl);
    const all = { account: this.fake.account, apiUrl, timings: TIMINGS, ...options };
    const adapter = await this.adapterOf(
      WhatsAppAdapter,
      WhatsAppModule.forRoot({ ...all, ...(this.first && { account: this.first.account }) }),
    );
    if (!this.first) return adapter;
    const { accessToken, phoneNumberId, appSecret, verifyToken } = all.account;
    return this.furtherThan(adapter, {
      access_token: accessToken,
      phone_number_id: phoneNumberId,
      app_secret: appSecret,
      verify_token: verifyToken,
    });
  }

  async withBadCredentials(): Promise<{ adapter: WhatsAppAdapter; secret: string }> {
    const account = { ...this.fake.account, accessToken: WRONG_TOKEN };
    return { adapter: await this.adapterWith({ account }), secret: WRONG_TOKEN };
  }

  async quiet(): Promise<WhatsAppAdapter> {
    return this.use(await this.adapterWith({ timings: { ...TIMINGS, probeMs: 60_000 } }));
  }

  listen(sink: InboundSink | undefined): void {
    this.sink = sink;
    const { port } = this.server.address() as AddressInfo;
    this.fake.subscribe(sink && `http://127.0.0.1:${port}/callbacks/whatsapp`);
  }

  async receive({ chatId, text }: { chatId: string; text: string }): Promise<void> {
    this.fake.receiveText({ from: chatId, text });
  }

  allConfirmed(): Promise<void> {
    const none = (): boolean => this.unconfirmed() === 0;
    return this.fake.waitUntil(none, () => `${this.unconfirmed()} notifications are not confirmed`);
  }

  unconfirmed(): number {
    return this.fake.pendingNotifications;
  }

  sent(): SentToPlatform[] {
    return this.fake.sent.map(({ to, text, formatted, repliesTo, file }) => ({
      recipient: to,
      text,
      formatted,
      repliesTo,
      silent: false,
      files: file ? [file] : [],
    }));
  }

  options(): string[] {
    return this.choices().map(({ title }) => title);
  }

  async tap(title: string): Promise<void> {
    const button_reply = this.choices().find((one) => one.title === title);
    const { id, to: from } = this.fake.sent.at(-1)!;
    const interactive = { type: 'button_reply', button_reply };
    this.fake.receive({ type: 'interactive', interactive, context: { id } }, { from });
    await this.allConfirmed();
  }

  private choices(): { id: string; title: string }[] {
    const { action } = this.fake.sent.at(-1)!.params['interactive'] as {
      action: {
        buttons?: { reply: { id: string; title: string } }[];
        sections?: { rows: { id: string; title: string }[] }[];
      };
    };
    return [
      ...(action.buttons ?? []).map(({ reply }) => reply),
      ...(action.sections ?? []).flatMap(({ rows }) => rows),
    ];
  }

  rejectNextMarkup(): void {
    throw new Error('WhatsApp finds fault with no markup');
  }

  throttleConnection(retryAfter: RetryAfter): void {
    this.fake.fail({ method: 'phone', status: 429, retryAfter });
  }

  async onlyConnection(): Promise<void> {
    // No connection: WhatsApp calls the gateway.
  }

  takeConnection(): Promise<void> {
    return Promise.reject(new Error('there is no connection to take'));
  }

  refusals(): RefusalCase[] {
    const refused = REFUSALS.map(([code, failure, retryable = false, retryAfterMs]) => ({
      name: String(code),
      expected: { code: failure, platform_code: String(code), retryable, ...(retryAfterMs && { retryAfterMs }) },
      arrange: () => {
        this.fake.refuseNextSend(code);
        return this.recipient;
      },
    }));
    return [...refused, this.unansweredSend()];
  }

  override async stop(): Promise<void> {
    await this.fake.shutDown();
    await super.stop();
    this.server.closeAllConnections();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks);
    if (!this.sink) return void response.writeHead(503).end();
    const callback = { method: 'POST', query: {}, headers: request.headers, rawBody } as const;
    const { status, body } = await this.adapter.callback(callback, this.sink);
    response.writeHead(status).end(body);
  }
}

const REFUSALS: readonly [code: number, RefusalCase['expected']['code'], retryable?: boolean, retryAfterMs?: number][] =
  [
    [0, 'auth_failed'],
    [1, 'platform_unavailable', true],
    [4, 'rate_limited', true, 60_000],
    [10, 'not_permitted'],
    [100, 'content_rejected'],
    [190, 'auth_failed'],
    [200, 'not_permitted'],
    [368, 'not_permitted'],
    [80007, 'rate_limited', true, 60_000],
    [130429, 'rate_limited', true, 1_000],
    [130497, 'not_permitted'],
    [131000, 'platform_unavailable', true],
    [131026, 'recipient_unreachable'],
    [131047, 'window_closed'],
    [131048, 'rate_limited', true],
    [131049, 'not_permitted'],
    [131050, 'opted_out'],
    [131056, 'rate_limited', true, 6_000],
  ];
