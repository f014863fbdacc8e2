import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import type { Account } from '../../api/accounts';
import { CredentialFields } from './connect/credential-fields';
import { accountFaults, filledIn, type Credentials } from './connect/credentials';
import { refreshAccounts } from './refresh-accounts';

/** Takes new credentials of the same bot or number, such as a rolled token. */
export function ReplaceCredentials({ account, onClose }: { account: Account; onClose: () => void }) {
  const { id, name, platform } = account;
  const gateway = useGateway();
  const client = useQueryClient();
  const [credentials, setCredentials] = useState<Credentials>({});
  const save = useMutation({
    mutationFn: () => gateway.integrations.update(id, { credentials: filledIn(credentials) }),
    onSuccess: async () => {
      showDone(`The new credentials of ${name} work.`);
      await refreshAccounts(client);
      onClose();
    },
  });
  return (
    <FormModal
      title="Replace the credentials"
      submit="Check and save"
      request={save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        They must be of the same bot or number, and all of them are replaced. The platform checks them first.
      </Text>
      <CredentialFields
        platform={platform}
        values={credentials}
        faults={accountFaults(save.error, platform)}
        onChange={setCredentials}
      />
    </FormModal>
  );
}
