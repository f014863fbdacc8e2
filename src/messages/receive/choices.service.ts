import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { sanitizeText, toPublicId, type AccountKey } from '#contracts';
import { queryIn, Database } from '../../core/database/database.service';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import type { InteractiveReplyDto } from '../dto/interactive.dto';
import type { OutboundOptions } from '../send/outbound-message';
import { COUNTED, LOCK_CONVERSATION, NUMBERED_OFFER, OFFER } from './choices.rows';

/** For a tap whose title neither the platform nor the stored message tells. */
const UNKNOWN_TITLE = '[button]';

/** The option that a message chose, as stored in its options. */
export interface StoredChoice {
  id: string | null;
  title: string;
  /** UUID of the message that had the options; null where it is not known. */
  message_id: string | null;
}

interface OfferRow {
  id: string;
  interactive: NonNullable<OutboundOptions['interactive']> | null;
}

/** Recognises which option of our messages a person chose. */
@Injectable()
export class Choices {
  constructor(private readonly database: Database) {}

  /** @returns undefined for a message that chooses nothing */
  async of(
    at: AccountKey,
    conversationId: string,
    { interactiveReply, content }: ReceivedMessage,
  ): Promise<StoredChoice | undefined> {
    if (!interactiveReply) return this.byNumber(conversationId, content);
    const { id, index, title, platformMessageId } = interactiveReply;
    const offer = platformMessageId && (await this.offer(at, conversationId, platformMessageId));
    const options = (offer && offer.interactive?.options) || [];
    const option = id === undefined ? options[index ?? -1] : options.find((one) => one.id === id);
    return {
      id: option?.id ?? (id === undefined ? null : sanitizeText(id)),
      title: option?.title ?? (sanitizeText(title) || UNKNOWN_TITLE),
      message_id: (offer && offer.id) || null,
    };
  }

  /** Our message of the conversation with a platform's id, and its options. */
  async offer(
    { environment, platform }: AccountKey,
    conversationId: string,
    platformMessageId: string,
  ): Promise<OfferRow | undefined> {
    const values = [environment, platform, sanitizeText(platformMessageId), conversationId];
    const [offer] = await this.database.query<OfferRow>(OFFER, values);
    return offer;
  }

  /**
   * Whether the same person chose the same option of the message in the last minute. Locks the conversation until the
   * transaction ends, so that its taps run one after the other.
   */
  async isRepeated(
    transaction: EntityManager,
    conversationId: string,
    { id, message_id }: StoredChoice,
    senderId: string,
  ): Promise<boolean> {
    await queryIn(transaction, LOCK_CONVERSATION, [conversationId]);
    return (await queryIn(transaction, COUNTED, [conversationId, id, message_id, senderId])).length > 0;
  }

  /** A number chooses from the newest message whose options are numbered lines. */
  private async byNumber(conversationId: string, content: string): Promise<StoredChoice | undefined> {
    const number = /^\s*(\d{1,2})[.)]?\s*$/.exec(content)?.[1];
    if (number === undefined) return undefined;
    const [offer] = await this.database.query<OfferRow>(NUMBERED_OFFER, [conversationId]);
    const option = offer?.interactive?.options[Number(number) - 1];
    return option && { id: option.id, title: option.title, message_id: offer.id };
  }
}

export function toInteractiveReply({ id, title, message_id }: StoredChoice): InteractiveReplyDto {
  return { id, title, message_id: message_id === null ? null : toPublicId('message', message_id) };
}
