import { Anchor, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { Identifier } from '../../../components/copy/identifier';
import { Fact, Facts } from '../../../components/facts';
import { Section } from '../../../components/section';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { useMay } from '../../../session/use-session';

export function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { id, status, environment, masked_key, tier, scopes, created_by, created_at, expires_at, revoked_at } = apiKey;
  const mayAudit = useMay('admin:settings');
  return (
    <Section
      title="Key"
      actions={
        mayAudit && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/audit-log" search={{ key_id: id }} {...props} />}>
            Activity
          </Anchor>
        )
      }
    >
      <Facts>
        <Fact name="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Value">
          <span className="mono">{masked_key}</span>
        </Fact>
        <Fact name="Id">
          <Identifier value={id} label="key id" />
        </Fact>
        <Fact name="Environment">{environment}</Fact>
        <Fact name="Tier">{tier}</Fact>
        <Fact name="Created by">{created_by ? <Creator id={created_by} /> : 'The gateway itself'}</Fact>
        <Fact name="Created">
          <Time value={created_at} />
        </Fact>
        <Fact name={revoked_at ? 'Revoked' : 'Expires'}>
          {revoked_at || expires_at ? <Time value={revoked_at ?? expires_at} /> : 'Never'}
        </Fact>
        <Fact name="Scopes">
          <Group gap={4}>
            {scopes.map((scope) => (
              <Code key={scope}>{scope}</Code>
            ))}
          </Group>
        </Fact>
      </Facts>
    </Section>
  );
}

function Creator({ id }: { id: string }) {
  const { data } = useQuery(queries.apiKey(useGateway(), id));
  return (
    <Anchor size="sm" renderRoot={(props) => <Link to="/api-keys/$keyId" params={{ keyId: id }} {...props} />}>
      {data?.name ?? id}
    </Anchor>
  );
}
