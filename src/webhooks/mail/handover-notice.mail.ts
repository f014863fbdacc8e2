import { toPublicId } from '#contracts';
import type { HandoverEntity } from '../../conversations/entities/handover.entity';

const REASONS: Readonly<Record<NonNullable<HandoverEntity['reason']>, string>> = {
  assistant: 'the assistant asked for a person',
  phrase: 'a message asks for a person',
  failures: 'several answers in a row failed',
  loop: 'the assistant gave too many answers in ten minutes',
  refusal: 'the AI provider declined to answer',
  budget: 'a limit of the settings refuses further answers',
};

/**
 * Tells the owner that no person took a conversation over in time. It contains only ids and the reason: the texts stay in the
 * gateway.
 */
export function handoverNoticeMail({ conversationId, reason, requestedAt }: HandoverEntity): {
  subject: string;
  text: string;
} {
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
