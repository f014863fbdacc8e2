import { Button, Text } from '@mantine/core';
import { ArchiveIcon, DownloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { Identifier } from '../../components/copy/identifier';
import { showDone, showFault } from '../../components/feedback/notify';
import { Listing } from '../../components/listing';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { bytes } from '../../format/number';

/** The newest backups, and a button that starts one. */
export function Backups() {
  const gateway = useGateway();
  const client = useQueryClient();
  const backups = useQuery(queries.backups(gateway));
  const start = useMutation({
    mutationFn: () => gateway.backups.start(),
    onSuccess: () => {
      showDone('The backup has begun.');
      return client.invalidateQueries({ queryKey: ['backups'] });
    },
    onError: showFault,
  });
  return (
    <Section
      title="Backups"
      flush
      actions={
        <Button
          variant="default"
          leftSection={<DownloadIcon />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          Back up now
        </Button>
      }
    >
      <Listing
        query={backups}
        columns={['Backup', 'Status', 'Size', 'Began']}
        height={120}
        empty={
          <EmptyState icon={<ArchiveIcon />} title="No backups">
            Set BACKUP_SCHEDULE to have them made by themselves.
          </EmptyState>
        }
      >
        {(backups.data ?? []).map(({ id, status, size_bytes, started_at, error: reason }) => (
          <tr key={id}>
            <td>
              <Identifier value={id} label="backup id" />
            </td>
            <td data-label="Status">
              <StatusBadge status={status} />
              {reason && <Text size="xs">{reason}</Text>}
            </td>
            <td data-label="Size" className="numeric">
              {size_bytes === null ? '–' : bytes(size_bytes)}
            </td>
            <td data-label="Began">
              <Time value={started_at} />
            </td>
          </tr>
        ))}
      </Listing>
    </Section>
  );
}
