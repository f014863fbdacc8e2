import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../api/gateway';
import { queries } from '../api/queries';
import { causesOf, severityOf } from '../components/problems/causes';
import { StatusBadge } from '../components/status-badge';
import { counted } from '../format/number';
import { useMay } from '../session/use-session';

/** The number of problems, by cause; nothing if there are none. */
export function ProblemCount({ className }: { className?: string }) {
  const { data } = useQuery({ ...queries.problems(useGateway()), enabled: useMay('read:status') });
  if (!data || data.length === 0) return null;
  const causes = causesOf(data).length;
  return (
    <span className={className}>
      <StatusBadge status="problems" tone={severityOf(data) === 'critical' ? 'bad' : 'warning'}>
        <span aria-hidden>{causes}</span>
        <VisuallyHidden>{counted(causes, 'problem')}</VisuallyHidden>
      </StatusBadge>
    </span>
  );
}
