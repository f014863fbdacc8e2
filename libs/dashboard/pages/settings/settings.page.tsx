import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PageHeader } from '../../components/page-header';
import { RequireScope } from '../../session/require-scope';
import { useMay } from '../../session/use-session';
import { AiProviders } from './providers/ai-providers';
import { SettingsIndex } from './settings-index';
import { SettingsForm } from './settings-form';

export default function SettingsPage() {
  const mayConnect = useMay('admin:settings');
  return (
    <>
      <PageHeader title="Settings" description="Changes take effect at once, without a restart.">
        {mayConnect && (
          <Button variant="default" renderRoot={(props) => <Link to="/accounts/connect" {...props} />}>
            Connect a platform
          </Button>
        )}
      </PageHeader>
      <RequireScope anyOf={['admin:settings']}>
        <Loaded />
      </RequireScope>
    </>
  );
}

function Loaded() {
  const { data, error, refetch } = useQuery({ ...queries.settings(useGateway()), staleTime: Infinity });
  // A later read that fails leaves the form, with its unsaved edits.
  if (error && !data) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={420} radius="lg" />;
  return (
    <Stack gap="lg">
      <SettingsIndex />
      <SettingsForm settings={data} />
      <AiProviders />
    </Stack>
  );
}
