import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { HandoverEntity } from '../../conversations/entities/handover.entity';
import { Timers } from '../../core/work/timers/timers.service';
import { Work } from '../../core/work/work.service';
import { MailEntity } from '../entities/mail.entity';
import { OWNER_MAIL } from './owner-mail';

const BATCH = 100;

const INTERVAL_MS = 2_000;

/** Mails the owner when nobody took a conversation over in time. The mail has the id of the request: it is made once. */
@Injectable()
export class HandoverNotices {
  constructor(
    @InjectRepository(MailEntity) private readonly outbox: Repository<MailEntity>,
    private readonly work: Work,
    timers: Timers,
  ) {
    timers.every('The mailing of requests for a person', INTERVAL_MS, () => this.mailAll());
  }

  private async mailAll(): Promise<void> {
    const waiting = await this.outbox.manager
      .createQueryBuilder(HandoverEntity, 'handover')
      .leftJoin(MailEntity, 'mail', 'mail.id = handover.requestId')
      .where('handover.notifyAt <= now() AND mail.id IS NULL')
      .orderBy('handover.notifyAt')
      .take(BATCH)
      .getMany();
    if (waiting.length === 0) return;
    const mails = waiting.map((handover) => ({
      id: handover.requestId,
      environment: handover.environment,
      ...noticeMail(handover),
      createdAt: () => 'now()',
      nextAt: () => 'now()',
    }));
    await this.outbox.createQueryBuilder().insert().values(mails).orIgnore().execute();
    for (const { id, environment } of mails) this.work.wake(OWNER_MAIL, environment, id);
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
