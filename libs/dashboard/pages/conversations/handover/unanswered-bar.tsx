import { Text } from '@mantine/core';
import type { Conversation } from '#client';
import { noAnswer } from '../../../components/messages/no-answer';
import classes from './handover.module.css';
import { UnansweredActions } from './unanswered-actions';

interface UnansweredBarProps {
  conversation: Conversation;
  mayWrite: boolean;
  onTakeOver: () => void;
}

/** Says why the newest message has no answer, with the possible actions. */
export function UnansweredBar({ conversation: { id, last_error }, mayWrite, onTakeOver }: UnansweredBarProps) {
  if (!last_error) return null;
  return (
    <section className={classes.bar} data-unanswered aria-label="No answer">
      <Text size="sm" fw={600} className={classes.words} role="status">
        {noAnswer(last_error)}
      </Text>
      {mayWrite && (
        <div className={classes.actions}>
          <UnansweredActions conversationId={id} onTakeOver={onTakeOver} />
        </div>
      )}
    </section>
  );
}
