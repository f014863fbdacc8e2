import { Checkbox, Group, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, CreatedApiKey } from '#client';
import { faultsByField } from '../../api/fault';
import { useGateway } from '../../api/gateway';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import { useEnvironment } from '../../session/use-session';
import { AiFields } from './ai-fields';
import { CreatedKey } from './created-key';
import { bodyOf, changeOf, valuesOf, type KeyValues } from './key-values';
import { KeyPresets } from './key-presets';
import { LimitFields } from './limit-fields';
import { ALL_SCOPES, SCOPE_MEANINGS } from './scope-meanings';

/** Creates a key, or changes one. */
export function KeyForm({ changed, onClose }: { changed?: ApiKey; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const environment = useEnvironment();
  const [created, setCreated] = useState<CreatedApiKey>();
  const form = useForm<KeyValues>({ initialValues: valuesOf(changed, environment) });
  const save = useMutation({
    mutationFn: (values: KeyValues) =>
      changed ? gateway.apiKeys.update(changed.id, changeOf(values, changed)) : gateway.apiKeys.create(bodyOf(values)),
    onSuccess: (key) => {
      void client.invalidateQueries({ queryKey: ['api-keys'] });
      if ('key' in key) return setCreated(key as CreatedApiKey);
      showDone('Key updated.');
      onClose();
    },
    onError: (error) => form.setErrors(faultsByField(error)),
  });
  if (created) return <CreatedKey created={created} title="The key is created" onClose={onClose} />;
  return (
    <FormModal
      title={changed ? 'Change the key' : 'Create a key'}
      submit={changed ? 'Save' : 'Create'}
      size="lg"
      request={save}
      disabled={changed && !form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Shown in the list of keys and in the audit log."
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {!changed && (
        <>
          <SegmentedControl
            aria-label="Environment"
            size="xs"
            fullWidth
            data={[
              { value: 'live', label: 'Live: real platforms' },
              { value: 'test', label: 'Test: the sandbox' },
            ]}
            {...form.getInputProps('environment')}
          />
          <KeyPresets form={form} />
          <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
            <Stack gap={8} mt={6}>
              {ALL_SCOPES.map((scope) => (
                <Checkbox key={scope} value={scope} label={scope} description={SCOPE_MEANINGS[scope]} />
              ))}
            </Stack>
          </Checkbox.Group>
        </>
      )}
      <Group grow align="flex-start">
        <TextInput
          type="datetime-local"
          label="Expires"
          description="Empty: never"
          {...form.getInputProps('expires_at')}
        />
        <Select
          label="Tier"
          description="Sets the rate limits, unless the key has custom limits"
          data={['standard', 'pro', 'elite']}
          allowDeselect={false}
          {...form.getInputProps('tier')}
        />
      </Group>
      <TagsInput
        label="Addresses"
        description="Single addresses or CIDR ranges; empty: any"
        placeholder="203.0.113.7 or 203.0.113.0/24"
        {...form.getInputProps('allowed_ips')}
      />
      <LimitFields form={form} />
      <AiFields form={form} />
    </FormModal>
  );
}
