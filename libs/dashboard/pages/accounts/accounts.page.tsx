import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { ChatBubbleIcon, PlusIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/feedback/empty-state';
import { Listing } from '../../components/listing';
import { PageHeader } from '../../components/page-header';
import { PLATFORMS, PlatformIcon } from '../../components/people/platform';
import { StatusBadge } from '../../components/status-badge';
import { RequireScope } from '../../session/require-scope';
import { useMay } from '../../session/use-session';
import type { Account } from '../../api/accounts';
import { useAccounts } from './use-accounts';
import { identityOf, SOURCES, statusOf } from './account-words';
import { DirectionWords } from '../../components/direction-words';

/** All bots and numbers of the environment. */
export default function Accounts() {
  const mayConnect = useMay('admin:settings');
  return (
    <>
      <PageHeader title="Accounts" description="The bots and numbers that people write to.">
        {mayConnect && (
          <Button leftSection={<PlusIcon />} renderRoot={(props) => <Link to="/accounts/connect" {...props} />}>
            Connect a platform
          </Button>
        )}
      </PageHeader>
      <RequireScope anyOf={['read:status']}>
        <AccountTable />
      </RequireScope>
    </>
  );
}

function AccountTable() {
  const accounts = useAccounts();
  return (
    <div className="card">
      <Listing
        query={accounts}
        columns={['Account', 'Status', 'Receiving', 'Sending', 'Credentials from']}
        empty={
          <EmptyState icon={<ChatBubbleIcon />} title="No accounts">
            Connect a platform, and people can write to its bot or number. Telegram takes three minutes.
          </EmptyState>
        }
      >
        {(accounts.data ?? []).map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </Listing>
    </div>
  );
}

function AccountRow({ account }: { account: Account }) {
  const { id, name, platform, is_default, source, error, enabled, receiving, sending } = account;
  return (
    <tr>
      <td>
        <Group gap="sm" wrap="nowrap">
          <PlatformIcon platform={platform} size={34} />
          <Stack gap={0} miw={0}>
            <Anchor
              fw={600}
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
              renderRoot={(props) => <Link to="/accounts/$accountId" params={{ accountId: id }} {...props} />}
            >
              {name}
            </Anchor>
            <Text size="xs" c="dimmed">
              {[PLATFORMS[platform].name, identityOf(account), is_default && 'default'].filter(Boolean).join(' · ')}
            </Text>
          </Stack>
        </Group>
      </td>
      <td data-label="Status">
        <StatusBadge status={statusOf(account)} />
        {enabled && error !== undefined && (
          <Text size="xs" mt={4}>
            {error}
          </Text>
        )}
      </td>
      <td data-label="Receiving">
        <DirectionWords direction={receiving} />
      </td>
      <td data-label="Sending">
        <DirectionWords direction={sending} />
      </td>
      <td data-label="Credentials from">{source && SOURCES[source]}</td>
    </tr>
  );
}
