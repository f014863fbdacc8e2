import { Injectable } from '@nestjs/common';
import { cutText, sanitizeText, type AccountKey } from '#contracts';
import { QUOTED_LENGTH, type Quoted } from '../../conversations/quoted.rows';
import { Database } from '../../core/database/database.service';
import type { QuotedMessage } from '../../integrations/inbound/inbound-handler.port';
import { sanitizePerson } from '../receive/sanitize-message';
import { QUOTABLE, type QuotableRow } from './quotations.rows';

/** The quotation of an inbound message. */
export interface StoredQuotation {
  /** UUID of the quoted message; null: the gateway does not know it. */
  messageId: string | null;
  /** The business wrote the quoted message. */
  isOurs: boolean;
  quoted: Quoted;
}

/** Finds the messages that people quote. */
@Injectable()
export class Quotations {
  constructor(private readonly database: Database) {}

  /** Completes the platform's quotation from the stored message. */
  async of(
    { environment, platform, account }: AccountKey,
    conversationId: string,
    { platformMessageId, sender, content }: QuotedMessage,
  ): Promise<StoredQuotation> {
    const values = [
      environment,
      platform,
      platformMessageId && sanitizeText(platformMessageId),
      conversationId,
      account,
    ];
    const [stored] = platformMessageId === undefined ? [] : await this.database.query<QuotableRow>(QUOTABLE, values);
    const words = content === undefined ? stored?.content : sanitizeText(content);
    const isOurs = stored?.direction === 'outbound';
    return {
      messageId: stored?.id ?? null,
      isOurs,
      quoted: {
        // The platform may give no name, and names the business itself as the sender of what it wrote.
        sender: stored?.sender ?? (sender && !isOurs ? sanitizePerson(sender) : null),
        content: words === undefined ? null : cutText(words, QUOTED_LENGTH),
      },
    };
  }
}
