import type { PastHandover } from '#client';
import { REASONS } from '../../../live/handover/handover-reasons';

/** A line of the chat that only colleagues see. */
export interface HandoverLine {
  at: string;
  text: string;
}

const ENDS: Readonly<Record<NonNullable<PastHandover['ended_by']>, string>> = {
  request: 'Handed back to the assistant.',
  timer: 'The assistant got it back at its time.',
  merge: 'Continued in another conversation.',
};

/** Who had the conversation, when and with which note, oldest first. */
export function handoverLines(handovers: readonly PastHandover[]): HandoverLine[] {
  return handovers.flatMap(linesOf).toSorted((one, next) => one.at.localeCompare(next.at));
}

function linesOf(handover: PastHandover): HandoverLine[] {
  const { reason, requested_at, taken_at, assignee, note, resumed_at, ended_by } = handover;
  const takenBy = `${assignee ?? 'A person'} took over.`;
  return [
    ...(requested_at && reason ? [{ at: requested_at, text: `Asked for a person. ${REASONS[reason]}` }] : []),
    ...(taken_at ? [{ at: taken_at, text: note ? `${takenBy} Note: ${note}` : takenBy }] : []),
    ...(resumed_at && ended_by ? [{ at: resumed_at, text: ENDS[ended_by] }] : []),
  ];
}

/** The lines between two messages. @param after undefined: before the first message, of which all earlier ones are shown */
export function linesBetween(
  lines: readonly HandoverLine[],
  after: string | undefined,
  until: string | undefined,
): HandoverLine[] {
  return lines.filter(({ at }) => (after === undefined || at > after) && (until === undefined || at <= until));
}
