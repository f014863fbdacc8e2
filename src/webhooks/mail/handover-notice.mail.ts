import { toPublicId } from '#contracts';
import type { HandoverEntity } from '../../conversations/entities/handover.entity';

const REASONS: Readonly<Record<NonNullable<HandoverEntity['reason']>, string>> = {
  assistant: 'the assistant asked for a person',
  phrase: 'a message asked for a person',
  failures: 'several answers in a row failed',
  loop: 'the assistant gave too many answers in ten minutes',
  refusal: 'the AI provider declined to answer',
  budget: 'a limit in the settings was reached',
};
const MAX_NAME_LENGTH = 100;

/**
 * Tells the owner which conversations no person took over in time. It names the people, and no text of theirs.
 * @param handovers at least one, with their conversations
 * @param more how many wait besides them
 * @param publicUrl base of the links
 */
export function handoverNoticeMail(
  handovers: readonly HandoverEntity[],
  more: number,
  publicUrl: string | undefined,
): { subject: string; text: string } {
  const count = handovers.length + more;
  const items = handovers.map((handover) => itemOf(handover, publicUrl));
  return {
    subject: count === 1 ? `${nameOf(handovers[0]!)} waits for a person` : `${count} conversations wait for a person`,
    text: `${count === 1 ? 'This conversation is' : 'These conversations are'} not taken over yet. The assistant is silent there.

${items.join('\n')}${more > 0 ? `\nand ${more} more\n` : ''}
Take one over:          POST /api/v1/conversations/{id}/handover
Or let the assistant:   POST /api/v1/conversations/{id}/resume

GET /api/v1/conversations?handling=requested lists all that wait. While more follow, they come in one mail every 10 minutes.
`,
  };
}

function itemOf(handover: HandoverEntity, publicUrl: string | undefined): string {
  const { conversationId, conversation, reason, requestedAt } = handover;
  const id = toPublicId('conversation', conversationId);
  return `  ${nameOf(handover)} on ${conversation?.platform ?? 'unknown'}
  Conversation:  ${id}
${publicUrl === undefined ? '' : `  Dashboard:     ${publicUrl}/dashboard/conversations/${id}\n`}  Requested:     ${requestedAt?.toISOString() ?? 'unknown'}
  Reason:        ${reason ? REASONS[reason] : 'unknown'}
`;
}

function nameOf({ conversation }: HandoverEntity): string {
  const { participantName, participantUsername, participantId } = conversation ?? {};
  return plain(participantName ?? participantUsername ?? participantId ?? 'A person');
}

/** People choose their names: one line of a bounded length, without characters that turn text around. */
function plain(name: string): string {
  return [...name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')].slice(0, MAX_NAME_LENGTH).join('');
}
