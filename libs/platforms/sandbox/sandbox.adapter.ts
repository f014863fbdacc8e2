import { type Platform, SEND_FAILURES, type SendFailureCode } from '#contracts';
import type {
  ConnectionDetails,
  ConnectionObserver,
  InboundSink,
  OutboundContent,
  OutboundPart,
  PartOutcome,
  PlatformAdapter,
  PlatformCapabilities,
  SendPlan,
  SendRequest,
} from '../platform.port';
import { DEFAULT_LARGEST } from '../discord/outbound/file-rules';
import { planDiscord } from '../discord/outbound/plan';
import { planTelegram } from '../telegram/outbound/plan';
import { participantNamed } from '../telegram/topics';
import { planInteractive } from '../interactive';
import type { Interactive } from '../interactive.port';
import { canShowInteractive } from '../whatsapp/outbound/interactive';
import { splitText } from '../text/split';
import { planWhatsApp } from '../whatsapp/outbound/plan';

interface PlayedPlatform {
  maxTextLength: number;
  plan: (content: OutboundContent) => SendPlan;
  details: ConnectionDetails;
  participantId?: (recipient: string) => string;
}

const PLAYED: Readonly<Record<Platform, PlayedPlatform>> = {
  whatsapp: { maxTextLength: 4096, plan: planWhatsApp, details: { phone: '+10000000000', name: 'Sandbox' } },
  telegram: {
    maxTextLength: 4096,
    plan: planTelegram,
    details: { bot_username: 'sandbox_bot', bot_id: '0' },
    participantId: participantNamed,
  },
  discord: {
    maxTextLength: 2000,
    plan: (content) => planDiscord(content, content.options.parseMode, DEFAULT_LARGEST),
    details: { bot_username: 'sandbox', bot_id: '0' },
  },
};

/** Recipients with a special behaviour; a message to any other recipient is delivered after a moment. */
export const SANDBOX_RECIPIENTS = {
  fail: 'sandbox_fail',
  blocked: 'sandbox_blocked',
  slow: 'sandbox_slow',
  notConnected: 'sandbox_not_connected',
} as const;

const REFUSALS: ReadonlyMap<string, SendFailureCode> = new Map([
  [SANDBOX_RECIPIENTS.fail, 'recipient_unreachable'],
  [SANDBOX_RECIPIENTS.blocked, 'blocked_by_recipient'],
]);

const SLOW_CONFIRMATION_MS = 5_000;

/** Plays any platform for test keys: always connected, and nothing leaves the process. */
export class SandboxAdapter implements PlatformAdapter {
  readonly capabilities: PlatformCapabilities;
  readonly unconfigured = undefined;
  readonly typingIntervalMs = 5_000;

  /** Details as the played platform would show them. */
  static detailsOf(platform: Platform): ConnectionDetails {
    return PLAYED[platform].details;
  }

  constructor(readonly platform: Platform) {
    this.capabilities = {
      maxTextLength: PLAYED[platform].maxTextLength,
      deduplicatesSends: true,
      confirmation: 'platform',
      confirmAfterMs: 200,
      livenessMs: Infinity,
      receivesBy: 'callback',
    };
  }

  async run(_sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    observer.proven(SandboxAdapter.detailsOf(this.platform));
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  disconnectedFor(recipient: string): string | undefined {
    return recipient === SANDBOX_RECIPIENTS.notConnected
      ? 'the sandbox plays a platform that is not connected'
      : undefined;
  }

  participantId(recipient: string): string {
    return PLAYED[this.platform].participantId?.(recipient) ?? recipient;
  }

  split(text: string): OutboundPart[] {
    return splitText(text, this.capabilities.maxTextLength).map((part, index) => ({ index, text: part }));
  }

  /** Plans files as the played platform would. */
  plan(content: OutboundContent): SendPlan {
    const split = (text: string) => this.split(text);
    const { interactive } = content;
    if (!interactive) return PLAYED[this.platform].plan(content);
    const canShow = (shown: Interactive) => this.platform !== 'whatsapp' || canShowInteractive(shown);
    return planInteractive(content, interactive, { split, canShow, describes: () => true });
  }

  /** The same part of the same message always gets the same id: that is how the sandbox deduplicates. */
  async sendPart({ messageId, recipient }: SendRequest, { index }: OutboundPart): Promise<PartOutcome> {
    const code = REFUSALS.get(recipient);
    if (code) return { accepted: false, failure: { code, platform_code: null, ...SEND_FAILURES[code] } };
    const platformMessageId = `${messageId}:${index}`;
    if (recipient !== SANDBOX_RECIPIENTS.slow) return { accepted: true, platformMessageId };
    return { accepted: true, platformMessageId, confirmAfterMs: SLOW_CONFIRMATION_MS };
  }

  async showTyping(): Promise<void> {
    // The sandbox shows no typing.
  }
}
