import { Injectable } from '@nestjs/common';
import type { AccountKey, MessageData } from '#contracts';
import { RestoreTime } from '../../core/secrets/restore-time.service';
import { SettingsService } from '../../core/settings/settings.service';
import { boundedJson } from '../../core/validation/bounded-json';
import { GroupReplies } from '../../integrations/inbound/group-replies.service';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import type { InboundOptions } from '../entities/message.entity';
import { holdsPhrase } from '../handover/phrases';
import { Quotations, type StoredQuotation } from '../quotations/quotations.service';
import { Choices, type StoredChoice } from './choices.service';

/** What an inbound message means. */
interface ReadMessage {
  content: string;
  choice: StoredChoice | undefined;
  quotation: StoredQuotation | undefined;
  data: MessageData | undefined;
  options: InboundOptions;
  /** It asks for a person. */
  isRequest: boolean;
}

/** Reads what an inbound message chooses and quotes, whether the assistant answers it, and whether it asks for a person. */
@Injectable()
export class InboundReader {
  constructor(
    private readonly choices: Choices,
    private readonly quotations: Quotations,
    private readonly groups: GroupReplies,
    private readonly restore: RestoreTime,
    private readonly settings: SettingsService,
  ) {}

  async read(at: AccountKey, conversationId: string, received: ReceivedMessage): Promise<ReadMessage> {
    const { replyTo, mentionsBot, albumId } = received;
    const choice = await this.choices.of(at, conversationId, received);
    // A tap on a message that the platform does not show has no title: the stored offer has it.
    const content = received.content === '' && choice ? choice.title : received.content;
    const quotation = replyTo && (await this.quotations.of(at, conversationId, replyTo));
    const data = received.data && boundedJson(received.data);
    const isMentioned = mentionsBot === false ? quotation?.isOurs === true : mentionsBot;
    const isAnswered =
      received.expectsReply !== false &&
      !this.restore.isFromBefore(received.sentAt) &&
      this.groups.isAnswered(at, isMentioned);
    const options = {
      ...(!isAnswered && { expects_reply: false as const }),
      ...(received.inContext === false && { in_context: false as const }),
      ...(received.answerAsReply && { answer_as_reply: true as const }),
      ...(choice && { interactive_reply: choice }),
      ...(albumId !== undefined && received.hasCaption && { caption_item: 1 }),
      ...(data && { data }),
      ...(quotation && { quoted: quotation.quoted }),
    };
    const { phrases } = this.settings.of(at.environment).handover;
    // What the person wrote, or the option that a number chose.
    const isRequest = isAnswered && [content, choice?.title ?? ''].some((text) => holdsPhrase(text, phrases));
    return { content, choice, quotation, data, options, isRequest };
  }
}
