import { Injectable } from '@nestjs/common';
import { toPublicId, type MessageStatus, type SendFailure } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SendResultDto } from '../dto/message.dto';
import type { SendMessageDto } from '../dto/send-message.dto';

const READ = statement(
  'interrupted-send',
  'SELECT status, sent_at, failure FROM messages WHERE id = $1::uuid AND environment = $2',
);

interface SendRow extends Record<string, unknown> {
  status: MessageStatus;
  sent_at: Date | null;
  failure: SendFailure | null;
}

/** What became of a send whose request was never answered: once stored, a message goes its way whatever happens. */
@Injectable()
export class InterruptedSend {
  constructor(private readonly database: Database) {}

  /** @returns undefined when the message was not stored: nothing was sent */
  async result(
    { environment }: Caller,
    id: string,
    { platform, recipient }: SendMessageDto,
  ): Promise<SendResultDto | undefined> {
    const [row] = await this.database.query<SendRow>(READ, [id, environment]);
    if (!row) return undefined;
    const { status, sent_at: sentAt, failure } = row;
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
