import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SendResultDto } from '../dto/message.dto';
import type { SendMessageDto } from '../dto/send-message.dto';
import { scheduledResult } from './schedule-result';
import { MessageEntity } from '../entities/message.entity';

/** Rebuilds the answer to an earlier request from the message that the request stored. */
@Injectable()
export class EarlierSend {
  constructor(@InjectRepository(MessageEntity) private readonly messages: Repository<MessageEntity>) {}

  /**
   * @param request the same as the earlier one
   * @returns undefined when the message was not stored: nothing was sent
   */
  async result({ environment }: Caller, id: string, request: SendMessageDto): Promise<SendResultDto | undefined> {
    const message = await this.messages.findOne({ where: { id, environment }, relations: { conversation: true } });
    if (!message) return undefined;
    const { platform } = request;
    const { status, sentAt, sendAt, failure, conversation } = message;
    const isErased = conversation!.erasedAt !== null;
    const recipient = isErased ? '' : request.recipient;
    // The answer that the request got, or would have got. Later changes do not count: a receipt may have failed a sent message.
    if (sendAt) return scheduledResult({ id, platform, recipient }, sendAt);
    const outcome = sentAt ? 'sent' : status === 'failed' ? status : 'pending';
    return {
      message_id: toPublicId('message', id),
      platform,
      recipient,
      status: outcome,
      sent_at: sentAt?.toISOString() ?? null,
      ...(outcome === 'failed' && failure && !isErased && { error: failure }),
    };
  }
}
