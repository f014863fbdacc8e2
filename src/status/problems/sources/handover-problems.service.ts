import { Injectable } from '@nestjs/common';
import { EntityManager, IsNull, Not } from 'typeorm';
import { toPublicId, type Environment, type HandoverReason } from '#contracts';
import { HandoverEntity } from '../../../conversations/entities/handover.entity';
import type { Problem, ProblemSource } from '../problem';

const MOST_CONVERSATIONS = 100;

const REASONS: Readonly<Record<HandoverReason, string>> = {
  assistant: 'the assistant asked for one',
  phrase: 'the participant asked for one',
  failures: 'the assistant has failed repeatedly',
  loop: 'there were too many answers in a short time',
  refusal: 'the AI provider declined to answer',
  budget: 'an AI limit was reached',
};

/** Conversations for which the gateway has requested a person, until a person or the assistant takes them. */
@Injectable()
export class HandoverProblems implements ProblemSource {
  constructor(private readonly rows: EntityManager) {}

  async find(environment: Environment): Promise<Problem[]> {
    const waiting = await this.rows.find(HandoverEntity, {
      where: { environment, takenAt: IsNull(), requestedAt: Not(IsNull()) },
      order: { requestedAt: 'DESC' },
      take: MOST_CONVERSATIONS,
    });
    return waiting.map(({ conversationId, reason, requestedAt }) => {
      const id = toPublicId('conversation', conversationId);
      return {
        kind: 'handover_waiting',
        cause: conversationId,
        severity: 'warning',
        title: `A conversation waits for a person${reason ? `: ${REASONS[reason]}` : ''}.`,
        count: 1,
        firstAt: requestedAt!,
        lastAt: requestedAt!,
        subject: { type: 'conversation', id },
        samples: [id],
      };
    });
  }
}
