import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Problem } from '#client';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';

/** Dismisses a problem until it happens again. */
export function DismissProblem({ problem: { id, title } }: { problem: Problem }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => gateway.problems.dismiss(id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['problems'] }),
    onError: showFault,
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      c="dimmed"
      aria-label={`Dismiss: ${title}`}
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate()}
    >
      Dismiss
    </Button>
  );
}
