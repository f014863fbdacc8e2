import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { getBotToken } from 'nestjs-telegraf';
import type { Telegraf } from 'telegraf';
import type { UserFromGetMe } from 'telegraf/types';
import { textParts } from '../media/plan';
import type { Download, DownloadOptions } from '../media.port';
import type {
  CallbackHead,
  CallbackRequest,
  CallbackResponse,
  ConnectionDetails,
  ConnectionFault,
  ConnectionObserver,
  InboundSink,
  OutboundContent,
  OutboundPart,
  PartOutcome,
  PlatformCapabilities,
  RateLimitNotice,
  SendPlan,
  SendRequest,
} from '../platform.port';
import type { AccountIdentity, LiveAdapter, OtherAccount } from '../account.port';
import { planInteractive } from '../interactive';
import { refused } from '../refusal';
import { TokenCheck } from '../connection/token-check';
import { BotApi } from './bot-api';
import { connectionError, faultOf } from './connection-faults';
import type { InboundContext, InboundPorts } from './inbound/inbound-context';
import { Downloads } from './inbound/downloads';
import { InboundProcessor } from './inbound/inbound-processor';
import { Polling } from './inbound/polling';
import { MAX_TEXT_LENGTH, planTelegram, texts } from './outbound/plan';
import { Sender } from './outbound/sender';
import {
  TELEGRAM_BOT,
  TELEGRAM_OPTIONS,
  TELEGRAM_TIMINGS,
  type TelegramOptions,
  type TelegramTimings,
} from './telegram.options';
import { participantNamed, placeOf } from './topics';
import { derivedSecret, parseUpdate, Webhook } from './inbound/webhook';

@Injectable()
export class TelegramAdapter implements LiveAdapter<'telegram'>, OnApplicationShutdown {
  readonly platform = 'telegram';
  readonly capabilities: PlatformCapabilities;
  /** Telegram shows it for five seconds at most. */
  readonly typingIntervalMs = 4_500;
  readonly unconfigured: string | undefined;

  private readonly logger = new Logger(TelegramAdapter.name);
  private readonly timings: TelegramTimings;
  private readonly api: BotApi;
  private readonly polling: Polling;
  private readonly webhook: Webhook | undefined;
  private readonly sender: Sender;
  private readonly downloads: Downloads;
  private readonly tokenCheck = new TokenCheck((signal) => this.identify(signal), connectionError);
  /** Set once a call of getMe has succeeded. A bot's id never changes; `run` learns of a new name. */
  private me: UserFromGetMe | undefined;

  constructor(
    @Inject(TELEGRAM_OPTIONS) private readonly options: TelegramOptions,
    @Inject(getBotToken(TELEGRAM_BOT)) private readonly bot: Telegraf<InboundContext>,
  ) {
    const { token, apiRoot, webhookUrl, webhookSecret, timings } = options;
    this.unconfigured = token ? undefined : 'not configured';
    this.capabilities = {
      maxTextLength: MAX_TEXT_LENGTH,
      deduplicatesSends: false,
      confirmation: 'platform',
      confirmAfterMs: 0,
      livenessMs: 90_000,
      receivesBy: webhookUrl ? 'callback' : 'connection',
    };
    this.timings = { ...TELEGRAM_TIMINGS, ...timings };
    this.api = new BotApi(token ?? '', apiRoot);
    this.polling = new Polling(this.api, this.timings);
    const secret = webhookSecret ?? derivedSecret(token ?? '');
    this.webhook = webhookUrl ? new Webhook(this.api, webhookUrl, secret, this.timings) : undefined;
    this.downloads = new Downloads(this.api, this.timings);
    this.sender = new Sender(this.api, this.timings.sendMs, () => this.tokenCheck.check());
  }

  /** A token begins with the id of its bot. */
  get externalId(): string | undefined {
    return /^(\d+):/.exec(this.options.token ?? '')?.[1];
  }

  /** Its listener is the one of this adapter's bot: each update brings its own sink. */
  another({ id, credentials }: OtherAccount<'telegram'>): Promise<TelegramAdapter> {
    const { webhookUrl } = this.options;
    const address = webhookUrl && `${webhookUrl.replace(/(?<!\/)\/+$/, '')}/${id}`;
    const options = { ...this.options, token: credentials.bot_token, webhookUrl: address, webhookSecret: undefined };
    return Promise.resolve(new TelegramAdapter(options, this.bot));
  }

  async identity(signal: AbortSignal): Promise<AccountIdentity> {
    const me = await this.identify(signal).catch((error: unknown) => {
      throw connectionError(error);
    });
    return { externalId: String(me.id), details: detailsOf(me) };
  }

  run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    return this.tokenCheck.during(signal, (live) => this.receive(sink, observer, live));
  }

  private async receive(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    const me = await this.identify(signal).catch((error: unknown) => {
      if (!signal.aborted) throw connectionError(error);
    });
    if (!me) return;
    const details = detailsOf(me);
    const heard: ConnectionObserver = {
      proven: (known) => observer.proven(known),
      warning: this.warn(observer),
      backlog: (waiting) => observer.backlog(waiting),
    };
    if (this.webhook) return this.webhook.run(details, heard, signal);
    const inbound = new InboundProcessor(this.bot, me, this.ports(sink, heard));
    await this.polling.run(inbound, details, heard, signal);
  }

  /** Telegram reads `012`, `+12` and ` 12` as 12, so that one chat would have several conversations. */
  recipientFault(recipient: string): string | undefined {
    const isChat = /^(?:0|-?[1-9]\d*(?:\/[1-9]\d*)?|@\w+)$/.test(recipient);
    return isChat
      ? undefined
      : 'must be an integer, without a plus sign, leading zeros or spaces, `@name`, or `<chat id>/<thread id>` for a topic';
  }

  participantId(recipient: string): string {
    return participantNamed(recipient);
  }

  split(text: string): OutboundPart[] {
    return textParts(texts(text));
  }

  plan(content: OutboundContent): SendPlan {
    const split = (text: string) => this.split(text);
    const { interactive } = content;
    if (!interactive) return planTelegram(content);
    return planInteractive(content, interactive, { split, canShow: () => true, describes: () => false });
  }

  async sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (this.unconfigured) return refused('platform_unavailable', this.unconfigured);
    return this.sender.send(request, part, signal);
  }

  async download(ref: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download> {
    return this.downloads.start(ref, signal, options);
  }

  async showTyping(recipient: string): Promise<void> {
    if (this.unconfigured) return;
    const { chat, thread } = placeOf(recipient);
    const payload = { chat_id: chat, message_thread_id: thread, action: 'typing' } as const;
    await this.api.call('sendChatAction', payload, { deadlineMs: this.typingIntervalMs }).catch((error: unknown) => {
      this.logger.debug(`typing is not shown: ${faultOf(error).message}`);
    });
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    this.api.onRateLimit = listener;
  }

  refuseCallback(head: CallbackHead): CallbackResponse | undefined {
    if (!this.webhook || this.unconfigured || head.method !== 'POST') return { status: 404, body: '' };
    return this.webhook.authenticates(head) ? undefined : { status: 401, body: '' };
  }

  async callback(request: CallbackRequest, sink: InboundSink): Promise<CallbackResponse> {
    const refusal = this.refuseCallback(request);
    if (refusal) return refusal;
    const update = parseUpdate(request.rawBody);
    // After any other answer than 2xx Telegram would send it again, just as unreadable.
    if (!update) return { status: 200, body: '' };
    // On failure the caller answers 503 and shows the fault: the connection, which would report it, may be in another instance.
    const me = this.me ?? (await this.identify());
    const ports = this.ports(sink, { warning: this.warn() });
    const stored = await new InboundProcessor(this.bot, me, ports).one(update);
    return { status: stored ? 200 : 503, body: '' };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.api.close();
  }

  private ports(sink: InboundSink, observer: InboundPorts['observer']): InboundPorts {
    return { sink, observer, answer: this.answer };
  }

  /** Ends the progress bar on the button. */
  private readonly answer = async (queryId: string): Promise<void> => {
    const limits = { deadlineMs: this.timings.answerMs };
    await this.api.call('answerCallbackQuery', { callback_query_id: queryId }, limits).catch((error: unknown) => {
      this.logger.debug(`a tap is not acknowledged: ${faultOf(error).message}`);
    });
  };

  private async identify(signal?: AbortSignal): Promise<UserFromGetMe> {
    this.me = await this.api.call('getMe', {}, { signal, deadlineMs: this.timings.answerMs });
    return this.me;
  }

  private warn(observer?: ConnectionObserver): (fault: ConnectionFault) => void {
    return (fault) => {
      this.logger.warn(fault.message);
      observer?.warning(fault);
    };
  }
}

/** Some servers send fewer fields than the Bot API. */
function detailsOf({ id, username }: UserFromGetMe): ConnectionDetails {
  return { ...(username && { bot_username: username }), bot_id: String(id) };
}
