import { Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { GatewayError, type AiProvider } from '#client';
import { faultsByField } from '../../../api/fault';
import { useGateway } from '../../../api/gateway';
import { ExternalLink } from '../../../components/guide/external-link';
import { FormModal } from '../../../components/form-modal';
import { showDone } from '../../../components/feedback/notify';
import { counted } from '../../../format/number';
import { PROVIDER_NAMES } from './provider-words';

/** Where the key of a provider is pasted, together with the address that it goes to. */
export function ProviderKey({ provider, onClose }: { provider: AiProvider; onClose: () => void }) {
  const { name, source, base_url } = provider;
  const gateway = useGateway();
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [address, setAddress] = useState(base_url ?? '');
  const refresh = () =>
    Promise.all(
      [['ai-providers'], ['ai-status'], ['settings'], ['problems']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const done = async (text: string) => {
    await refresh();
    showDone(text);
    onClose();
  };
  const set = useMutation({
    mutationFn: async () => {
      await gateway.ai.setProvider(name, { api_key: key.trim() || null, base_url: address.trim() || null });
      // The provider is asked, so that a wrong key is noticed here and not by the first person who writes.
      return gateway.ai.listModels(name);
    },
    onError: refresh,
    onSuccess: (models) =>
      done(
        models.length > 0
          ? `The key works: ${counted(models.length, 'model')}.`
          : 'The key is set. The provider has no list of models: the first answer shows whether the key works.',
      ),
  });
  const remove = useMutation({
    mutationFn: () => gateway.ai.deleteProvider(name),
    onSuccess: () => done('The key is deleted.'),
  });
  const faults = faultsByField(set.error);
  const isRefused = set.error instanceof GatewayError && set.error.is('AI_PROVIDER_ERROR');
  return (
    <FormModal
      title={PROVIDER_NAMES[name]}
      submit="Set the key"
      request={set}
      onSubmit={() => set.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {name === 'anthropic' ? (
          <>
            Create a key at{' '}
            <ExternalLink href="https://platform.claude.com/settings/keys">platform.claude.com</ExternalLink>, and paste
            it here.
          </>
        ) : (
          <>
            Create a key at <ExternalLink href="https://platform.openai.com/api-keys">platform.openai.com</ExternalLink>
            , or at Azure, Mistral or any other server that speaks Chat Completions, and paste it here.
          </>
        )}
      </Text>
      <PasswordInput
        label="API key"
        description="Empty for a server without keys."
        error={faults['api_key'] ?? (isRefused && 'The key is stored, but the provider refuses it.')}
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
