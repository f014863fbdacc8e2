import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '#client';
import { destinationOf } from '../../app/palette/destination';
import { Identifier } from '../../components/copy/identifier';
import { Fact, Facts } from '../../components/facts';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';
import classes from './audit-row.module.css';

/** All fields of an entry, with links for the ids in its path. */
export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const { method, path, key_id, key_name, masked_key, client_ip, duration_ms, request_id, count, last_at } = entry;
  const places = path.split('/').flatMap((part) => destinationOf(part) ?? []);
  return (
    <div className={classes.details}>
      <Facts>
        <Fact name="Request">
          {method} {path}
        </Fact>
        <Fact name="Key">
          {key_id ? (
            <Anchor
              size="sm"
              underline="always"
              renderRoot={(props) => <Link to="/api-keys/$keyId" params={{ keyId: key_id }} {...props} />}
            >
              {key_name ?? key_id}
            </Anchor>
          ) : (
            'none'
          )}{' '}
          {masked_key}
        </Fact>
        <Fact name="Address">{client_ip}</Fact>
        <Fact name="Took">{milliseconds(duration_ms)}</Fact>
        <Fact name="Request id">
          <Identifier value={request_id} label="request id" />
        </Fact>
        {count > 1 && (
          <Fact name="Last request">
            <Time value={last_at} />
          </Fact>
        )}
      </Facts>
      {places.length > 0 && (
        <Group gap="md" mt="sm">
          {places.map(({ title, link, hint }) => (
            <Anchor key={hint} size="sm" renderRoot={(props) => <Link {...link} {...props} />}>
              {title}
            </Anchor>
          ))}
        </Group>
      )}
    </div>
  );
}
