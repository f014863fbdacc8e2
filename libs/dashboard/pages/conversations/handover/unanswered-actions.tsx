import { Button } from '@mantine/core';
import { useHandover } from './use-handover';

/** Asks the assistant again, or takes the conversation over. */
export function UnansweredActions({ conversationId, onTakeOver }: { conversationId: string; onTakeOver: () => void }) {
  const { askAgain } = useHandover(conversationId);
  return (
    <>
      <Button size="xs" loading={askAgain.isPending} onClick={() => askAgain.mutate()}>
        Ask again
      </Button>
      <Button size="xs" variant="default" onClick={onTakeOver}>
        Take over
      </Button>
    </>
  );
}
