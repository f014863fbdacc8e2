import { useState } from 'react';
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { ArchiveIcon, DownloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Backup, BackupSchedule } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { Identifier } from '../../components/copy/identifier';
import { showDone, showFault } from '../../components/feedback/notify';
import { Listing } from '../../components/listing';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { bytes, counted } from '../../format/number';

/** The schedule, the newest backups, and buttons to start and verify a backup. */
export function Backups() {
  const gateway = useGateway();
  const client = useQueryClient();
  const backups = useQuery(queries.backups(gateway));
  const [media, setMedia] = useState(true);
  const start = useMutation({
    mutationFn: () => gateway.backups.create({ media }),
    onSuccess: () => {
      showDone('The backup has started.');
      return client.invalidateQueries({ queryKey: ['backups'] });
    },
    onError: showFault,
  });
  const verify = useMutation({
    mutationFn: (id: string) => gateway.backups.verify(id),
    onSuccess: ({ verify_error }) => {
      if (verify_error === null) showDone('The backup can be restored.');
      return client.invalidateQueries({ queryKey: ['backups'] });
    },
    onError: showFault,
  });
  return (
    <Section
      title="Backups"
      flush
      actions={
        <Group gap="sm">
          <Checkbox
            label="With message files"
            checked={media}
            onChange={(event) => setMedia(event.currentTarget.checked)}
          />
          <Button
            variant="default"
            leftSection={<DownloadIcon />}
            loading={start.isPending}
            onClick={() => start.mutate()}
          >
            Back up now
          </Button>
        </Group>
      }
    >
      {backups.data && <Schedule {...backups.data.schedule} />}
      <Listing
        query={backups}
        columns={['Backup', 'Status', 'Trigger', 'Size', 'Began', 'Verified']}
        height={120}
        empty={
          <EmptyState icon={<ArchiveIcon />} title="No backups">
            Set BACKUP_SCHEDULE to make backups automatically.
          </EmptyState>
        }
      >
        {(backups.data?.data ?? []).map(({ id, status, trigger, size_bytes, started_at, error: reason, ...backup }) => (
          <tr key={id}>
            <td>
              <Identifier value={id} label="backup id" />
            </td>
            <td data-label="Status">
              <StatusBadge status={status} />
              {reason && <Text size="xs">{reason}</Text>}
            </td>
            <td data-label="Trigger">{TRIGGERS[trigger]}</td>
            <td data-label="Size" className="numeric">
              {size_bytes === null ? '–' : bytes(size_bytes)}
              {size_bytes !== null && backup.files !== null && <Text size="xs">{counted(backup.files, 'file')}</Text>}
            </td>
            <td data-label="Began">
              <Time value={started_at} />
            </td>
            <td data-label="Verified">
              <Verified {...backup} />
              {status === 'completed' && (
                <Button
                  variant="default"
                  size="compact-xs"
                  aria-label={`Verify ${id}`}
                  loading={verify.isPending && verify.variables === id}
                  onClick={() => verify.mutate(id)}
                >
                  Verify
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Listing>
    </Section>
  );
}

const TRIGGERS: Readonly<Record<Backup['trigger'], string>> = { schedule: 'Schedule', api: 'API', cli: 'Command line' };

function Schedule({ next_run_at, folder, s3 }: BackupSchedule) {
  return (
    <Stack gap={2} px="lg" py="sm">
      <Text size="sm">Next backup: {next_run_at ? <Time value={next_run_at} /> : 'not scheduled'}</Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Folder: {folder}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Copy: {s3 ?? 'none'}
      </Text>
    </Stack>
  );
}

function Verified({ verified_at, verify_error }: Pick<Backup, 'verified_at' | 'verify_error'>) {
  if (verified_at === null) return <Text size="xs">never</Text>;
  return (
    <>
      <Time value={verified_at} form="relative" />
      {verify_error && <Text size="xs">{verify_error}</Text>}
    </>
  );
}
