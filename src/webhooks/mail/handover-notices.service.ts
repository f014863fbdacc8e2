import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { toPublicId } from '#contracts';
import { HandoverEntity } from '../../conversations/entities/handover.entity';
import { Timers } from '../../core/work/timers/timers.service';
import { MailEntity } from '../entities/mail.entity';
import { MailOutbox, NOTICES } from './mail-outbox.service';

/** Mails the owner when nobody took a conversation over in time. The mail has the id of the request: it is made once. */
@Injectable()
export class HandoverNotices {
  constructor(
    private readonly entities: EntityManager,
    private readonly outbox: MailOutbox,
    timers: Timers,
  ) {
    timers.every('The mailing of requests for a person', NOTICES.intervalMs, () => this.mailAll());
  }

  private async mailAll(): Promise<void> {
    const waiting = await this.entities
      .createQueryBuilder(HandoverEntity, 'handover')
      .leftJoin(MailEntity, 'mail', 'mail.id = handover.requestId')
      .where('handover.notifyAt <= now() AND mail.id IS NULL')
      .orderBy('handover.notifyAt')
      .take(NOTICES.batch)
      .getMany();
    await this.outbox.add(
      waiting.map((handover) => ({
        id: handover.requestId,
        environment: handover.environment,
        ...noticeMail(handover),
      })),
    );
  }
}

const REASONS: Readonly<Record<NonNullable<HandoverEntity['reason']>, string>> = {
  assistant: 'the assistant asked for a person',
  phrase: 'a message asks for a person',
  failures: 'several answers in a row failed',
  loop: 'the assistant gave too many answers in ten minutes',
  budget: 'a limit of the settings refuses further answers',
};

/** Ids and the reason alone: what people wrote stays in the gateway. */
function noticeMail({ conversationId, reason, requestedAt }: HandoverEntity): { subject: string; text: string } {
  const id = toPublicId('conversation', conversationId);
  return {
    subject: `Conversation ${id} waits for a person`,
    text: `Nobody has taken over the conversation ${id} yet. The assistant is silent in it.

  Requested:  ${requestedAt?.toISOString() ?? 'unknown'}
  Reason:     ${reason ? REASONS[reason] : 'unknown'}

Take it over:           POST /api/v1/conversations/${id}/handover
Or let the assistant:   POST /api/v1/conversations/${id}/resume

GET /api/v1/conversations?handling=requested lists all that wait.
`,
  };
}
