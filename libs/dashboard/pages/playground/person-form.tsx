import { Button, Group, SegmentedControl, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PaperPlaneIcon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import type { PlayedInbound } from '#client';
import { useGateway } from '../../api/gateway';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PLATFORM_OPTIONS, type Platform } from '../../components/people/platform';
import { Section } from '../../components/section';

interface PersonFormProps {
  onPlay: () => void;
  onRefused: () => void;
  onPlayed: (played: PlayedInbound) => void;
}

const LONGEST_TEXT = 16_384;
const LONGEST_NAME = 256;

/** Sends a message as a person on a platform of the sandbox. */
export function PersonForm({ onPlay, onRefused, onPlayed }: PersonFormProps) {
  const gateway = useGateway();
  const form = useForm({
    initialValues: {
      platform: 'telegram' as Platform,
      name: 'Ada',
      id: '48213907',
      content: 'When do you open tomorrow?',
    },
  });
  const play = useMutation({
    mutationFn: ({ platform, name, id, content }: typeof form.values) =>
      gateway.sandbox.play({ platform, sender: { id, name: name || null }, content }),
    onMutate: onPlay,
    onSuccess: onPlayed,
    onError: onRefused,
  });
  return (
    <Section title="A person writes">
      <form onSubmit={form.onSubmit((values) => play.mutate(values))}>
        <Stack>
          <SegmentedControl
            data={PLATFORM_OPTIONS}
            aria-label="Platform"
            fullWidth
            {...form.getInputProps('platform')}
          />
          <SimpleGrid cols={2} spacing="sm">
            <TextInput label="Name" maxLength={LONGEST_NAME} {...form.getInputProps('name')} />
            <TextInput label="Id on the platform" required withAsterisk={false} {...form.getInputProps('id')} />
          </SimpleGrid>
          <Textarea
            label="Message"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={LONGEST_TEXT}
            {...form.getInputProps('content')}
          />
          {play.error && <FaultAlert error={play.error} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              leftSection={<PaperPlaneIcon />}
              loading={play.isPending}
              disabled={form.values.content.trim() === '' || form.values.id.trim() === ''}
            >
              Send as this person
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
