import { Group, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { Tool } from '#client';
import { useGateway } from '../../api/gateway';
import { CodePart, prettyJson } from '../../components/copy/code-block';
import { FormModal } from '../../components/form-modal';
import { StatusBadge } from '../../components/status-badge';
import { milliseconds } from '../../format/number';
import { parsedJson } from './json-text';
import { exampleOf } from './parameter-rows';

/** Calls a tool with arguments that a person writes, and shows the outcome. */
export function TestTool({ tool, onClose }: { tool: Tool; onClose: () => void }) {
  const gateway = useGateway();
  const form = useForm({
    initialValues: { arguments: JSON.stringify(exampleOf(tool.parameters), null, 2) },
    validate: { arguments: (text) => (parsedJson(text) === undefined ? 'is not valid JSON' : null) },
  });
  const test = useMutation({
    mutationFn: (given: string) =>
      gateway.tools.test(tool.id, { arguments: JSON.parse(given) as Record<string, unknown> }),
  });
  return (
    <FormModal
      title={`Test ${tool.name}`}
      submit="Call"
      size="lg"
      request={test}
      onSubmit={form.onSubmit(({ arguments: given }) => test.mutate(given))}
      onClose={onClose}
    >
      <Textarea
        label="Arguments"
        description="The call is signed, and sent at once. It has no conversation and no participant."
        classNames={{ input: 'mono' }}
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        {...form.getInputProps('arguments')}
      />
      {test.data && (
        <div role="status">
          <Group gap="md" mb="xs">
            <StatusBadge status={test.data.status}>{test.data.status.replace('_', ' ')}</StatusBadge>
            <Text size="sm" className="numeric">
              {milliseconds(test.data.ms)}
            </Text>
          </Group>
          {test.data.error && <Text size="sm">{test.data.error}</Text>}
          {test.data.result !== null && <CodePart title="Result" code={prettyJson(test.data.result)} />}
        </div>
      )}
    </FormModal>
  );
}
