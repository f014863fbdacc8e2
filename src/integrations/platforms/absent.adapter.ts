import { sendFailure } from '#contracts';
import type {
  Download,
  OutboundContent,
  OutboundPart,
  PartOutcome,
  PlatformAdapter,
  PlatformCapabilities,
  SendOptions,
  SendPlan,
} from '#platforms';

/** Stands for an account that is deleted, disabled, or not connected on this instance yet: messages are planned, and nothing is sent. */
export class AbsentAdapter implements PlatformAdapter {
  readonly platform;
  readonly capabilities: PlatformCapabilities;
  readonly typingIntervalMs: number;

  /** @param like any adapter of the platform */
  constructor(
    private readonly like: PlatformAdapter,
    readonly unconfigured: string,
  ) {
    this.platform = like.platform;
    this.capabilities = like.capabilities;
    this.typingIntervalMs = like.typingIntervalMs;
  }

  run(): Promise<void> {
    return Promise.resolve();
  }

  recipientFault(recipient: string): string | undefined {
    return this.like.recipientFault?.(recipient);
  }

  participantId(recipient: string): string {
    return this.like.participantId?.(recipient) ?? recipient;
  }

  split(text: string, options: SendOptions): OutboundPart[] {
    return this.like.split(text, options);
  }

  plan(content: OutboundContent): SendPlan | Promise<SendPlan> {
    return this.like.plan?.(content) ?? { parts: this.split(content.text, content.options) };
  }

  sendPart(): Promise<PartOutcome> {
    return Promise.resolve({ accepted: false, failure: sendFailure('platform_unavailable') });
  }

  /** The account may come back. */
  download(): Promise<Download> {
    return Promise.resolve({ started: false, failure: 'later', message: this.unconfigured });
  }

  showTyping(): Promise<void> {
    return Promise.resolve();
  }
}
