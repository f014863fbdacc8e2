import { toPublicId, type EventData, type ShownAccount } from '#contracts';
import type { LockedConversation } from '../entities/conversation.entity';
import type { HandoverEntity } from '../entities/handover.entity';

type Handover = Pick<HandoverEntity, 'reason' | 'summary' | 'assignee'>;

/** The data of the three events about who has a conversation. */
export function handoverData(
  { id, environment, platform, participantId, participantName, participantUsername }: LockedConversation,
  account: ShownAccount,
  { reason, summary, assignee }: Handover,
  at: Date,
): EventData<'conversation.resumed'> {
  return {
    environment,
    conversation_id: toPublicId('conversation', id),
    platform,
    account,
    participant: { id: participantId, name: participantName, username: participantUsername },
    reason,
    summary,
    assignee,
    at: at.toISOString(),
  };
}
