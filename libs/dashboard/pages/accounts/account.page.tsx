import { Anchor, Skeleton, Stack } from '@mantine/core';
import { InfoCircledIcon, QuestionMarkCircledIcon } from '@radix-ui/react-icons';
import { Link, useParams } from '@tanstack/react-router';
import { Identifier } from '../../components/copy/identifier';
import { Fact, Facts } from '../../components/facts';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Notice } from '../../components/feedback/notice';
import { PageHeader } from '../../components/page-header';
import { PLATFORMS } from '../../components/people/platform';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { RequireScope } from '../../session/require-scope';
import { useMay } from '../../session/use-session';
import { AccountActions } from './account-actions';
import { AccountSettings } from './settings/account-settings';
import type { Account } from '../../api/accounts';
import { useAccounts } from './use-accounts';
import { identityOf, SOURCES, statusOf } from './account-words';
import { DirectionWords } from '../../components/direction-words';

/** One bot or number: its state, its credentials and its settings. */
export default function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  return (
    <>
      <Anchor size="sm" renderRoot={(props) => <Link to="/accounts" {...props} />}>
        ← All accounts
      </Anchor>
      <RequireScope anyOf={['read:status']}>
        <Detail id={accountId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useAccounts();
  const mayChange = useMay('admin:settings');
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} radius="lg" mt="md" />;
  const account = data.find((each) => each.id === id);
  if (!account)
    return (
      <EmptyState icon={<QuestionMarkCircledIcon />} title="There is no such account">
        It was deleted. Its conversations stay.
      </EmptyState>
    );
  return (
    <Stack gap="lg" mt="xs">
      <PageHeader title={account.name} description={descriptionOf(account)}>
        {mayChange && <AccountActions account={account} />}
      </PageHeader>
      {account.source === 'environment' && (
        <Notice tone="neutral" icon={<InfoCircledIcon />}>
          The credentials of this account are variables of the gateway’s environment, and are changed there. Its name
          and settings are changed here.
        </Notice>
      )}
      <State account={account} />
      {mayChange && <AccountSettings key={id} account={account} />}
    </Stack>
  );
}

function descriptionOf(account: Account): string {
  const { platform, is_default } = account;
  const words = [PLATFORMS[platform].name, identityOf(account), is_default && 'the default account'];
  return words.filter(Boolean).join(' · ');
}

function State({ account }: { account: Account }) {
  const { id, source, connected_at, receiving, sending, error, enabled } = account;
  return (
    <Section title="Connection">
      <Facts>
        <Fact name="Status">
          <StatusBadge status={statusOf(account)} />
        </Fact>
        {enabled && error !== undefined && <Fact name="Reason">{error}</Fact>}
        <Fact name="Connected">{connected_at ? <Time value={connected_at} form="relative" /> : 'Never'}</Fact>
        <Fact name="Receiving">
          <DirectionWords direction={receiving} />
        </Fact>
        <Fact name="Sending">
          <DirectionWords direction={sending} />
        </Fact>
        <Fact name="Credentials from">{source && SOURCES[source]}</Fact>
        <Fact name="Id">
          <Identifier value={id} label="account id" />
        </Fact>
      </Facts>
    </Section>
  );
}
