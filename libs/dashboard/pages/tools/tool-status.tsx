import { StatusBadge } from '../../components/status-badge';

export function ToolStatus({ enabled }: { enabled: boolean }) {
  return <StatusBadge status={enabled ? 'active' : 'disabled'}>{enabled ? 'enabled' : 'disabled'}</StatusBadge>;
}
