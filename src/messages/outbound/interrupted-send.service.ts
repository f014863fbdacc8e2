import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SendResultDto } from '../dto/message.dto';
import type { SendMessageDto } from '../dto/send-message.dto';
import { scheduledResult } from '../schedule/schedule-result';
import { MessageEntity } from '../entities/message.entity';

/** Finds the outcome of a send whose request was never answered: a stored message is always sent or failed. */
@Injectable()
export class InterruptedSend {
  constructor(@InjectRepository(MessageEntity) private readonly messages: Repository<MessageEntity>) {}

  /** @returns undefined when the message was not stored: nothing was sent */
  async result(
    { environment }: Caller,
    id: string,
    { platform, recipient }: SendMessageDto,
  ): Promise<SendResultDto | undefined> {
    const message = await this.messages.findOneBy({ id, environment });
    if (!message) return undefined;
    const { status, sentAt, sendAt, failure } = message;
    // The answer that the request would have got, whatever happened since.
    if (sendAt) return scheduledResult({ id, platform, recipient }, sendAt);
    return {
      message_id: toPublicId('message', id),
      platform,
      recipient,
      status: status === 'failed' || status === 'pending' ? status : 'sent',
      sent_at: sentAt?.toISOString() ?? null,
      ...(status === 'failed' && failure && { error: failure }),
    };
  }
}
