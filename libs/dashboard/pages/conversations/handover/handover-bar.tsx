import { Button, Text } from '@mantine/core';
import type { Conversation } from '#client';
import { Time } from '../../../components/time';
import { useNow } from '../../../format/use-now';
import { durationInWords, durationSince, inViewersZone } from '../../../format/time';
import { REASONS } from '../../../live/handover/handover-reasons';
import classes from './handover.module.css';
import { useHandover } from './use-handover';

interface HandoverBarProps {
  conversation: Conversation;
  mayWrite: boolean;
  onTakeOver: () => void;
}

/** Shows who handles the conversation while the assistant is paused, with the possible actions. */
export function HandoverBar({ conversation, mayWrite, onTakeOver }: HandoverBarProps) {
  const { id, handling, handover } = conversation;
  const { handBack } = useHandover(id);
  const now = useNow();
  if (handling === 'assistant' || !handover) return null;
  const { reason, summary, note, assignee, requested_at, taken_at, resume_at } = handover;
  const isWaiting = handling === 'requested';
  return (
    <section className={classes.bar} data-waiting={isWaiting || undefined} aria-label="Handover">
      <div className={classes.words}>
        <Text size="sm" fw={600}>
          {isWaiting ? (
            `Waiting for a person${requested_at ? ` for ${durationSince(requested_at, now)}` : ''}`
          ) : (
            <>
              {`${assignee ?? 'A person'} ${taken_at ? 'has had it' : 'has it'}`}
              {taken_at && (
                <>
                  {' since '}
                  <Time value={taken_at} form="clock" />
                </>
              )}
            </>
          )}
        </Text>
        {(reason ?? summary) && (
          <Text size="sm" dir="auto">
            {[reason && REASONS[reason], summary].filter(Boolean).join(' ')}
          </Text>
        )}
        {note && (
          <Text size="sm" dir="auto">
            Note: {note}
          </Text>
        )}
        <Text size="xs" className={classes.when}>
          {resumes(resume_at, now)}
        </Text>
      </div>
      {mayWrite && (
        <div className={classes.actions}>
          {isWaiting ? (
            <Button size="xs" onClick={onTakeOver}>
              Take over
            </Button>
          ) : (
            <Button size="xs" variant="default" onClick={onTakeOver}>
              Change
            </Button>
          )}
          <Button size="xs" variant="default" loading={handBack.isPending} onClick={() => handBack.mutate()}>
            Hand back
          </Button>
        </div>
      )}
    </section>
  );
}

/** A sentence: when the assistant answers again. */
function resumes(at: string | null, now: number): string {
  if (!at) return 'The assistant is silent until you hand the conversation back.';
  const seconds = Math.max(0, Date.parse(at) - now) / 1_000;
  const form = seconds < 43_200 ? 'clock' : 'short';
  return `The assistant answers again at ${inViewersZone(at, form)}, in ${durationInWords(seconds)}.`;
}
