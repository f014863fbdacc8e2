import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { GatewayError, type Integration } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { CodeBlock } from '../../../components/copy/code-block';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { Notice } from '../../../components/feedback/notice';
import { PLATFORMS, type Platform } from '../../../components/people/platform';
import { showFirstFault } from '../../../components/show-first-fault';
import { refreshAccounts } from '../refresh-accounts';
import { CredentialFields } from './credential-fields';
import { accountFaults, filledIn, LONGEST_NAME, type Credentials } from './credentials';

interface ConnectFormProps {
  platform: Platform;
  credentials: Credentials;
  onChange: (credentials: Credentials) => void;
  onConnected: (account: Integration) => void;
}

/** Where the credentials are pasted and checked. */
export function ConnectForm({ platform, credentials, onChange, onConnected }: ConnectFormProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const { data } = useQuery(queries.integrations(gateway));
  const [typedName, setName] = useState<string>();
  const name = typedName ?? freeName(platform, data ?? []);
  const connect = useMutation({
    mutationFn: () => gateway.integrations.create({ platform, name, credentials: filledIn(credentials) }),
    onSuccess: async (account) => {
      await refreshAccounts(client);
      onConnected(account);
    },
  });
  useEffect(() => {
    if (connect.error) showFirstFault();
  }, [connect.error]);
  const faults = accountFaults(connect.error, platform);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate();
      }}
    >
      <Stack mt="xs" c="var(--mantine-color-text)">
        <CredentialFields platform={platform} values={credentials} faults={faults} onChange={onChange} />
        <TextInput
          label="Name"
          description="For you and your colleagues. You can change it later."
          error={faults['name']}
          maxLength={LONGEST_NAME}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {needsFinishedSchema(connect.error) ? (
          <FinishSchema platform={platform} />
        ) : (
          connect.error && Object.keys(faults).length === 0 && <FaultAlert error={connect.error} />
        )}
        <Group>
          <Button type="submit" loading={connect.isPending}>
            Check and connect
          </Button>
          <Text size="sm">The credentials are stored encrypted, and never shown again.</Text>
        </Group>
      </Stack>
    </form>
  );
}

/** "Telegram", "Telegram 2". */
function freeName(platform: Platform, accounts: readonly Integration[]): string {
  const taken = new Set(accounts.filter((each) => each.platform === platform).map((each) => each.name));
  const { name } = PLATFORMS[platform];
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} ${number}`;
    if (!taken.has(free)) return free;
  }
}

const FINISH = 'gateway migrate --finish';

function needsFinishedSchema(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'INVALID_REQUEST' && error.message.includes(FINISH);
}

function FinishSchema({ platform }: { platform: Platform }) {
  return (
    <Notice icon={<ExclamationTriangleIcon />} role="alert" title="The database must be prepared first">
      <Text size="sm" mb="xs">
        {PLATFORMS[platform].name} has an account already. For a second one, stop all older versions of the gateway, run
        this command on a machine of the gateway, and press the button again. Older versions cannot use the database
        afterwards.
      </Text>
      <CodeBlock code={FINISH} label="command" />
    </Notice>
  );
}
