import { NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedTool, Tool } from '#client';
import { faultsByField } from '../../api/fault';
import { useGateway } from '../../api/gateway';
import { TOOL_SAMPLE } from '../../components/copy/receiver-sample';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import { ShownOnce } from '../../components/shown-once';
import { SecretInput } from '../../components/receivers/secret-input';
import { NO_PARAMETERS } from './parameter-rows';
import { parametersFault, ParametersInput, parametersOf, schemaIn, type Parameters } from './parameters-input';

interface ToolValues {
  name: string;
  description: string;
  url: string;
  parameters: Parameters;
  /** Text that is not a number is left to the gateway to refuse. */
  timeout_seconds: number | string;
  enabled: boolean;
  /** Empty: the gateway generates a secret, or keeps the old one. */
  secret: string;
}

/** Creates a tool, or changes one. */
export function ToolForm({ changed, onClose }: { changed?: Tool; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedTool>();
  const form = useForm<ToolValues>({
    initialValues: {
      name: changed?.name ?? '',
      description: changed?.description ?? '',
      url: changed?.url ?? '',
      parameters: parametersOf(changed?.parameters ?? NO_PARAMETERS),
      timeout_seconds: changed?.timeout_seconds ?? 10,
      enabled: changed?.enabled ?? true,
      secret: '',
    },
    validate: { parameters: parametersFault },
  });
  const save = useMutation({
    mutationFn: async ({ secret, ...values }: ToolValues): Promise<CreatedTool | undefined> => {
      const tool = {
        ...values,
        timeout_seconds: values.timeout_seconds as number,
        parameters: schemaIn(values.parameters),
        ...(secret !== '' && { secret }),
      };
      if (!changed) return gateway.tools.create(tool);
      await gateway.tools.update(changed.id, tool);
      return undefined;
    },
    onSuccess: (tool, { secret }) => {
      void client.invalidateQueries({ queryKey: ['tools'] });
      void client.invalidateQueries({ queryKey: ['tool', changed?.id] });
      if (tool) return setCreated({ ...tool, secret: tool.secret ?? secret });
      showDone('Tool updated.');
      onClose();
    },
    onError: (error) => form.setErrors(faultsByField(error)),
  });
  if (created)
    return (
      <ShownOnce
        title="The tool is created"
        label="secret"
        value={created.secret!}
        use={{ title: 'Receive a call', code: TOOL_SAMPLE, label: 'code sample' }}
        onClose={onClose}
      />
    );
  return (
    <FormModal
      title={changed ? 'Change the tool' : 'Create a tool'}
      submit={changed ? 'Save' : 'Create'}
      size="lg"
      request={save}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="By this name the model calls the tool: a–z, 0–9 and _."
        placeholder="order_status"
        maxLength={64}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Textarea
        label="Description"
        description="Says to the model what the tool does, and when to call it."
        placeholder="Looks up where an order is. Call it when a person asks about an order."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4_096}
        {...form.getInputProps('description')}
      />
      <ParametersInput {...form.getInputProps('parameters')} />
      <TextInput
        type="url"
        label="URL"
        description="The gateway sends a POST for each call, over HTTPS."
        placeholder="https://example.com/tools/order-status"
        maxLength={2_048}
        {...form.getInputProps('url')}
      />
      <NumberInput
        label="Timeout"
        description="The receiver must answer within this time: 1 to 30 seconds."
        suffix=" s"
        min={1}
        max={30}
        clampBehavior="none"
        allowDecimal={false}
        {...form.getInputProps('timeout_seconds')}
      />
      <SecretInput isChange={changed !== undefined} signed="calls" {...form.getInputProps('secret')} />
      <Switch label="The assistant may call it" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormModal>
  );
}
