import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';
import type { Cause } from '../../../components/problems/causes';

/** Dismisses the problems of a cause until they happen again. */
export function DismissProblems({ problems }: Pick<Cause, 'problems'>) {
  const gateway = useGateway();
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => Promise.all(problems.map(({ id }) => gateway.problems.dismiss(id))),
    onError: showFault,
    onSettled: () => client.invalidateQueries({ queryKey: ['problems'] }),
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      c="dimmed"
      aria-label={`Dismiss: ${problems[0].title}`}
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate()}
    >
      Dismiss
    </Button>
  );
}
