import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { FormModal } from '../../components/form-modal';
import type { Account } from '../../api/accounts';
import { LONGEST_NAME, accountFaults } from './connect/credentials';
import { refreshAccounts } from './refresh-accounts';

export function RenameForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [name, setName] = useState(account.name);
  const save = useMutation({
    mutationFn: () => gateway.integrations.update(account.id, { name }),
    onSuccess: async () => {
      await refreshAccounts(client);
      onClose();
    },
  });
  return (
    <FormModal title="Rename the account" submit="Save" request={save} onSubmit={() => save.mutate()} onClose={onClose}>
      <TextInput
        label="Name"
        description="Shown beside its conversations, and accepted by sends as the account."
        error={accountFaults(save.error, account.platform)['name']}
        maxLength={LONGEST_NAME}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
    </FormModal>
  );
}
