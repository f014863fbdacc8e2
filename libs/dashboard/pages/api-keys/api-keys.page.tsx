import { Button } from '@mantine/core';
import { IdCardIcon, PlusIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { Listing } from '../../components/listing';
import { PageHeader } from '../../components/page-header';
import { RequireScope } from '../../session/require-scope';
import { KeyForm } from './key-form';
import { KeyRow, type KeyAction } from './key-row';
import { RevokeKey } from './revoke-key';
import { RollKey } from './roll-key';

export default function ApiKeys() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHeader title="API keys" description="Give each program its own key, with only the scopes that it needs.">
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Create a key
        </Button>
      </PageHeader>
      <RequireScope anyOf={['admin:users', 'admin:settings']}>
        <Keys />
        {creating && <KeyForm onClose={() => setCreating(false)} />}
      </RequireScope>
    </>
  );
}

function Keys() {
  const keys = useInfiniteQuery(queries.apiKeys(useGateway()));
  const [shown, setShown] = useState<{ key: ApiKey; action: KeyAction }>();
  const close = () => setShown(undefined);
  const items = keys.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="card">
      <Listing
        query={keys}
        columns={['Name', 'Key', 'Scopes', 'Status', 'Last used', '-Actions']}
        empty={
          <EmptyState icon={<IdCardIcon />} title="No keys">
            Create one for each program that uses the gateway.
          </EmptyState>
        }
      >
        {items.map((key) => (
          <KeyRow key={key.id} apiKey={key} onAction={(action) => setShown({ key, action })} />
        ))}
      </Listing>
      {shown?.action === 'change' && <KeyForm changed={shown.key} onClose={close} />}
      {shown?.action === 'roll' && <RollKey apiKey={shown.key} onClose={close} />}
      <RevokeKey apiKey={shown?.action === 'revoke' ? shown.key : undefined} onClose={close} />
    </div>
  );
}
