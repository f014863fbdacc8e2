import { Injectable } from '@nestjs/common';
import { sendFailure, type AccountKey, type Platform, type SendFailure } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { MarketingPreferences } from '../../conversations/marketing/marketing-preferences.service';
import { replyWindow } from '../../conversations/reply-window';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { Templates } from '../../integrations/templates/templates.service';
import type { OutboundMessage } from './outbound-message';
import { LAST_TEMPLATE_LANGUAGE } from './outbound.rows';

/** Messages that the platform would certainly refuse fail without a call to it. */
@Injectable()
export class ReplyWindows {
  constructor(
    private readonly database: Database,
    private readonly templates: Templates,
    private readonly clock: Clock,
    private readonly directory: ConversationDirectory,
    private readonly marketing: MarketingPreferences,
  ) {}

  /** Why the platform would certainly refuse the message now; undefined if it would not. */
  async fault(message: OutboundMessage): Promise<SendFailure | undefined> {
    const { platform, options, lastInboundAt, conversationId } = message;
    if (options.marketing && (await this.marketing.stopIn(conversationId))) return sendFailure('opted_out');
    if (options.template || !this.isClosed(platform, lastInboundAt)) return undefined;
    return this.withTemplates(message, sendFailure('window_closed'));
  }

  /** As `fault`, before the message exists: so that no file is fetched for it. The sandbox has no windows. */
  async closedFor(at: AccountKey, participantId: string): Promise<SendFailure | undefined> {
    if (at.environment === 'test') return undefined;
    const lastInboundAt = await this.directory.lastInboundAt(at, participantId);
    return this.isClosed(at.platform, lastInboundAt) ? sendFailure('window_closed') : undefined;
  }

  private isClosed(platform: Platform, lastInboundAt: Date | null): boolean {
    const window = replyWindow(platform, lastInboundAt, this.clock.now());
    // Without a time, the gateway does not know when the person last wrote.
    return window !== null && window.expiresAt !== null && !window.open;
  }

  /** The failure, with the templates that can be sent instead. */
  async withTemplates(message: OutboundMessage, failure: SendFailure): Promise<SendFailure> {
    const { conversationId, recipient } = message;
    const [last] = await this.database.query<{ language: string }>(LAST_TEMPLATE_LANGUAGE, [conversationId]);
    return { ...failure, templates: await this.templates.suggest(message, recipient, last?.language) };
  }
}
