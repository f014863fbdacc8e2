import { Button, Text } from '@mantine/core';
import type { Conversation } from '#client';
import { noAnswer } from '../../../components/messages/no-answer';
import classes from './handover.module.css';
import { useHandover } from './use-handover';

interface UnansweredBarProps {
  conversation: Conversation;
  mayWrite: boolean;
  onTakeOver: () => void;
}

/** Says why the newest message has no answer, with the possible actions. */
export function UnansweredBar({ conversation: { id, last_error }, mayWrite, onTakeOver }: UnansweredBarProps) {
  const { askAgain } = useHandover(id);
  if (!last_error) return null;
  return (
    <section className={classes.bar} data-unanswered aria-label="No answer">
      <Text size="sm" fw={600} className={classes.words} role="status">
        {noAnswer(last_error)}
      </Text>
      {mayWrite && (
        <div className={classes.actions}>
          <Button size="xs" loading={askAgain.isPending} onClick={() => askAgain.mutate()}>
            Ask again
          </Button>
          <Button size="xs" variant="default" onClick={onTakeOver}>
            Take over
          </Button>
        </div>
      )}
    </section>
  );
}
