import { Injectable } from '@nestjs/common';
import { sendFailure, type SendFailure } from '#contracts';
import { replyWindow } from '../../conversations/reply-window';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { Templates } from '../../integrations/templates/templates.service';
import type { OutboundMessage } from './outbound-message';
import { LAST_TEMPLATE_LANGUAGE } from './outbound.rows';

/** Free text outside the reply window of its platform fails without a call to the platform. */
@Injectable()
export class ReplyWindows {
  constructor(
    private readonly database: Database,
    private readonly templates: Templates,
    private readonly clock: Clock,
  ) {}

  /** Why the platform would certainly refuse the message now; undefined if it would not. */
  async fault(message: OutboundMessage): Promise<SendFailure | undefined> {
    const { platform, options, lastInboundAt } = message;
    const window = options.template ? null : replyWindow(platform, lastInboundAt, this.clock.now());
    // No time: the gateway does not know when the person last wrote.
    if (!window?.expiresAt || window.open) return undefined;
    return this.withTemplates(message, sendFailure('window_closed'));
  }

  /** The failure, with the templates that can be sent instead. */
  async withTemplates(message: OutboundMessage, failure: SendFailure): Promise<SendFailure> {
    const { environment, conversationId, recipient } = message;
    const [last] = await this.database.query<{ language: string }>(LAST_TEMPLATE_LANGUAGE, [conversationId]);
    return { ...failure, templates: await this.templates.suggest(environment, recipient, last?.language) };
  }
}
