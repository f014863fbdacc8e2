import type { PastHandover } from '#client';
import { handoverLines, linesBetween } from './handover-lines';

const at = (minute: number) => `2026-01-31T12:0${minute}:00.000Z`;
const handover = (more: Partial<PastHandover>): PastHandover => ({
  reason: null,
  summary: null,
  note: null,
  assignee: null,
  requested_at: null,
  taken_at: null,
  resume_at: null,
  resumed_at: null,
  ended_by: null,
  ...more,
});

describe(handoverLines.name, () => {
  const lines = handoverLines([
    handover({ taken_at: at(5) }),
    handover({
      reason: 'assistant',
      requested_at: at(1),
      taken_at: at(2),
      assignee: 'Grace',
      note: 'Waits for a refund.',
      resumed_at: at(3),
      ended_by: 'request',
    }),
  ]);

  it('says who had the conversation, with the note, and how it ended, oldest first', () => {
    expect(lines).toEqual([
      { at: at(1), text: 'Asked for a person. The assistant asked for a person.' },
      { at: at(2), text: 'Grace took over. Note: Waits for a refund.' },
      { at: at(3), text: 'Handed back to the assistant.' },
      { at: at(5), text: 'A person took over.' },
    ]);
  });

  it('places the lines between the messages', () => {
    const times = (after: string | undefined, until: string | undefined) =>
      linesBetween(lines, after, until).map((line) => line.at);
    expect(times(undefined, at(1))).toEqual([at(1)]);
    expect(times(at(1), at(3))).toEqual([at(2), at(3)]);
    expect(times(at(3), undefined)).toEqual([at(5)]);
  });
});
