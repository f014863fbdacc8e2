import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../../components/feedback/confirm';

/** Asks before a person leaves unsaved changes, also by closing the tab. */
export function UnsavedGuard({ active }: { active: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => active,
    enableBeforeUnload: () => active,
    withResolver: true,
  });
  return (
    <Confirm
      opened={status === 'blocked'}
      title="Leave without saving?"
      confirm="Leave"
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
    >
      The changes on this page are lost.
    </Confirm>
  );
}
