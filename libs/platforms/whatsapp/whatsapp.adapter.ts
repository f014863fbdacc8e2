import { Inject, Injectable, Logger, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { pause } from '#http-client';
import type { AccountIdentity, LiveAdapter, OtherAccount } from '../account.port';
import { textParts } from '../media/plan';
import type { Download, DownloadOptions } from '../media.port';
import { Pacer } from '../pacer.port';
import type {
  CallbackHead,
  CallbackRequest,
  CallbackResponse,
  ConnectionFault,
  ConnectionObserver,
  InboundSink,
  OutboundContent,
  OutboundPart,
  PartOutcome,
  PlatformCapabilities,
  RateLimitNotice,
  SendOptions,
  SendPlan,
  SendRequest,
} from '../platform.port';
import type { PlatformTemplate } from '../template.port';
import { planInteractive } from '../interactive';
import type { Interactive } from '../interactive.port';
import { canShowInteractive } from './outbound/interactive';
import { refused } from '../refusal';
import { TokenCheck } from '../connection/token-check';
import { authenticates, handshake, isSigned } from './inbound/callback';
import { connectionError, faultOf } from './connection-faults';
import { GraphApi } from './graph-api';
import { Downloads } from './inbound/downloads';
import { InboundProcessor } from './inbound/inbound-processor';
import { changesOf } from './inbound/notification';
import { groupOf, People, phoneOf } from './inbound/people';
import { Probe } from './probe';
import { listTemplates } from './template-list';
import { MAX_TEXT_LENGTH, planWhatsApp, texts } from './outbound/plan';
import { LONGEST_TURN_MS, Pacing } from './outbound/pacing';
import { Sender } from './outbound/sender';
import {
  WHATSAPP_OPTIONS,
  WHATSAPP_TIMINGS,
  type WhatsAppAccount,
  type WhatsAppOptions,
  type WhatsAppTimings,
} from './whatsapp.options';

/** One number of the WhatsApp Business Cloud API. */
@Injectable()
export class WhatsAppAdapter implements LiveAdapter<'whatsapp'>, OnApplicationShutdown {
  readonly platform = 'whatsapp';
  readonly capabilities: PlatformCapabilities = {
    maxTextLength: MAX_TEXT_LENGTH,
    deduplicatesSends: false,
    confirmation: 'device',
    confirmAfterMs: 0,
    livenessMs: 90_000,
    receivesBy: 'callback',
    typingNeedsMessage: true,
  };
  /** WhatsApp shows it for 25 seconds at most. */
  readonly typingIntervalMs = 20_000;
  readonly unconfigured: string | undefined;

  private readonly logger = new Logger(WhatsAppAdapter.name);
  private readonly account: WhatsAppAccount | undefined;
  readonly businessAccountId: string | undefined;
  private readonly timings: WhatsAppTimings;
  private readonly api: GraphApi;
  private readonly sender: Sender;
  private readonly downloads: Downloads;
  private readonly people = new People();
  private readonly pacing: Pacing;
  private readonly probe: Probe;
  private readonly tokenCheck: TokenCheck;

  /** @param pacer shared by all processes of the deployment; undefined: sends are not paced */
  constructor(
    @Inject(WHATSAPP_OPTIONS) private readonly options: WhatsAppOptions,
    @Optional() private readonly pacer?: Pacer,
  ) {
    const { account, businessAccountId, apiUrl, messagesPerSecond, timings } = options;
    this.pacing = new Pacing(account?.phoneNumberId ?? '', messagesPerSecond, pacer);
    this.businessAccountId = businessAccountId;
    this.unconfigured = account ? undefined : 'not configured';
    this.account = account;
    this.timings = { ...WHATSAPP_TIMINGS, ...timings };
    this.api = new GraphApi(account ?? { accessToken: '', phoneNumberId: '' }, apiUrl);
    this.probe = new Probe(this.api, this.timings);
    this.tokenCheck = new TokenCheck((signal) => this.probe.ask(signal), connectionError);
    this.downloads = new Downloads(this.api, this.timings);
    this.sender = new Sender(this.api, this.timings.sendMs, () => this.tokenCheck.check());
  }

  get externalId(): string | undefined {
    return this.account?.phoneNumberId;
  }

  another({ credentials }: OtherAccount<'whatsapp'>): Promise<WhatsAppAdapter> {
    const account = {
      accessToken: credentials.access_token,
      phoneNumberId: credentials.phone_number_id,
      appSecret: credentials.app_secret,
      verifyToken: credentials.verify_token,
    };
    const options = { ...this.options, account, businessAccountId: credentials.business_account_id };
    return Promise.resolve(new WhatsAppAdapter(options, this.pacer));
  }

  async identity(signal: AbortSignal): Promise<AccountIdentity> {
    const details = await this.probe.ask(signal).catch((error: unknown) => {
      throw connectionError(error);
    });
    return { externalId: this.externalId!, details };
  }

  participantId(recipient: string): string {
    return phoneOf(recipient);
  }

  /** Messages arrive by callback, on any instance, connected or not. */
  async run(_sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    await this.tokenCheck.during(signal, (live) => this.probe.run(observer, live));
  }

  split(text: string, { template }: SendOptions): OutboundPart[] {
    if (template) return [{ index: 0, text }];
    return textParts(texts(text));
  }

  plan(content: OutboundContent): SendPlan {
    const split = (text: string, options: SendOptions) => this.split(text, options);
    const { interactive } = content;
    if (!interactive) return planWhatsApp(content);
    // A group takes no buttons: https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging
    const canShow = (options: Interactive) => groupOf(content) === undefined && canShowInteractive(options);
    const describes = ({ type }: Interactive) => type === 'list';
    return planInteractive(content, interactive, { split, canShow, describes });
  }

  async sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (this.unconfigured) return refused('platform_unavailable', this.unconfigured);
    const turnMs = await this.pacing.turnIn(request.recipient);
    if (turnMs > LONGEST_TURN_MS)
      return {
        ...refused('rate_limited', 'the message waits for its turn'),
        retryAfterMs: turnMs,
        isOwnPause: true,
      };
    if (turnMs > 0) await pause(turnMs, signal);
    return this.sender.send(request, part, signal);
  }

  async download(ref: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download> {
    return this.downloads.start(ref, signal, options);
  }

  /** Also marks the message as read: WhatsApp does both in one call, and has none for typing only. */
  async showTyping(
    _recipient: string,
    _address: string | undefined,
    lastInboundPlatformMessageId?: string,
  ): Promise<void> {
    if (this.unconfigured || lastInboundPlatformMessageId === undefined) return;
    const mark = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: lastInboundPlatformMessageId,
      typing_indicator: { type: 'text' },
    };
    await this.api.messages(mark, { deadlineMs: this.timings.answerMs }).catch((error: unknown) => {
      this.logger.debug(`typing is not shown: ${faultOf(error).message}`);
    });
  }

  async templates(signal: AbortSignal): Promise<readonly PlatformTemplate[] | undefined> {
    if (this.businessAccountId === undefined) return undefined;
    const limits = { signal, deadlineMs: this.timings.answerMs };
    return listTemplates(this.api, this.businessAccountId, limits).catch((error: unknown) => {
      throw connectionError(error);
    });
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    this.api.onRateLimit = listener;
  }

  refuseCallback(head: CallbackHead): CallbackResponse | undefined {
    if (!this.account) return { status: 404, body: '' };
    return head.method === 'GET' || isSigned(head) ? undefined : { status: 401, body: '' };
  }

  async callback(request: CallbackRequest, sink: InboundSink): Promise<CallbackResponse> {
    if (!this.account) return { status: 404, body: '' };
    if (request.method === 'GET') return handshake(request, this.account);
    if (!authenticates(request, this.account)) return { status: 401, body: '' };
    const changes = changesOf(request.rawBody);
    const { phoneNumberId } = this.account;
    const processor = new InboundProcessor(
      sink,
      this.people,
      phoneNumberId,
      (fault) => this.warn(fault),
      request.shared,
    );
    if (processor.hasEchoes(changes)) this.pacing.coexists();
    const stored = await processor.all(changes);
    // After any other answer than 200 WhatsApp sends it again, for up to seven days.
    return { status: stored ? 200 : 503, body: '' };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.api.close();
  }

  private warn(fault: ConnectionFault): void {
    this.logger.warn(fault.message);
  }
}
