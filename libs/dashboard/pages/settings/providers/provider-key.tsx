import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiProvider } from '#client';
import { faultsByField } from '../../../api/fault';
import { useGateway } from '../../../api/gateway';
import { FormModal } from '../../../components/form-modal';
import { showDone } from '../../../components/feedback/notify';
import { PROVIDER_NAMES } from './provider-words';

/** Where the key of a provider is pasted, together with the address that it goes to. */
export function ProviderKey({ provider, onClose }: { provider: AiProvider; onClose: () => void }) {
  const { name, source, base_url } = provider;
  const gateway = useGateway();
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [address, setAddress] = useState(base_url ?? '');
  const done = async (text: string) => {
    await client.invalidateQueries({ queryKey: ['ai-providers'] });
    await client.invalidateQueries({ queryKey: ['ai-status'] });
    await client.invalidateQueries({ queryKey: ['settings'] });
    showDone(text);
    onClose();
  };
  const set = useMutation({
    mutationFn: () => gateway.ai.setProvider(name, { api_key: key.trim() || null, base_url: address.trim() || null }),
    onSuccess: () => done('The key is set.'),
  });
  const remove = useMutation({
    mutationFn: () => gateway.ai.deleteProvider(name),
    onSuccess: () => done('The key is deleted.'),
  });
  const faults = faultsByField(set.error);
  return (
    <FormModal
      title={PROVIDER_NAMES[name]}
      submit="Set the key"
      request={set}
      onSubmit={() => set.mutate()}
      onClose={onClose}
    >
      <PasswordInput
        label="API key"
        description="Empty for a server without keys."
        error={faults['api_key']}
        value={key}
        autoComplete="off"
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <TextInput
        label="Base URL"
        description="Empty for the provider’s own address. Used as it is, such as https://api.mistral.ai/v1."
        error={faults['base_url']}
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      {source === 'api' && (
        <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the key
        </Button>
      )}
    </FormModal>
  );
}
