import { ActionIcon, Anchor, Code, Group, Menu, Text } from '@mantine/core';
import { CrossCircledIcon, DotsHorizontalIcon, Pencil1Icon, UpdateIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from '#client';
import { Identifier } from '../../components/copy/identifier';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';

export type KeyAction = 'change' | 'roll' | 'revoke';

interface KeyRowProps {
  apiKey: ApiKey;
  onAction: (action: KeyAction) => void;
}

export function KeyRow({ apiKey, onAction }: KeyRowProps) {
  const { id, name, environment, masked_key, scopes, status, tier, expires_at, last_used_at } = apiKey;
  return (
    <tr>
      <td>
        <Anchor
          fw={600}
          size="sm"
          maw={260}
          truncate
          display="block"
          mb={4}
          title={name}
          dir="auto"
          renderRoot={(props) => <Link to="/api-keys/$keyId" params={{ keyId: id }} {...props} />}
        >
          {name}
        </Anchor>
        <Identifier value={id} label="key id" />
      </td>
      <td data-label="Key">
        <span className="mono nowrap">{masked_key}</span>
        <Text size="xs" c="dimmed">
          {environment} · {tier}
        </Text>
      </td>
      <td data-label="Scopes">
        <Group gap={4} maw={260}>
          {scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </Group>
      </td>
      <td data-label="Status">
        <StatusBadge status={status} />
        {expires_at && (
          <Text size="xs" c="dimmed" mt={4}>
            {status === 'expired' ? 'since' : 'until'} <Time value={expires_at} />
          </Text>
        )}
      </td>
      <td data-label="Last used">{last_used_at ? <Time value={last_used_at} form="relative" /> : 'never'}</td>
      <td className="end">
        {status !== 'revoked' && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={`Actions for ${name}`}>
                <DotsHorizontalIcon />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<Pencil1Icon />} onClick={() => onAction('change')}>
                Change
              </Menu.Item>
              {status === 'active' && (
                <Menu.Item leftSection={<UpdateIcon />} onClick={() => onAction('roll')}>
                  Roll
                </Menu.Item>
              )}
              <Menu.Item leftSection={<CrossCircledIcon />} onClick={() => onAction('revoke')}>
                Revoke
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </td>
    </tr>
  );
}
