import { Button, Group, SegmentedControl, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { PaperPlaneIcon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { PlayedInbound } from '#client';
import { useGateway } from '../../api/gateway';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PLATFORM_OPTIONS, type Platform } from '../../components/people/platform';
import { Section } from '../../components/section';

interface PersonFormProps {
  onPlay: () => void;
  onPlayed: (played: PlayedInbound) => void;
}

const LONGEST_TEXT = 16_384;
const LONGEST_NAME = 256;

/** What a person writes, on which platform. */
export function PersonForm({ onPlay, onPlayed }: PersonFormProps) {
  const gateway = useGateway();
  const [platform, setPlatform] = useState<Platform>('telegram');
  const [person, setPerson] = useState({ name: 'Ada', id: '48213907' });
  const [content, setContent] = useState('When do you open tomorrow?');
  const play = useMutation({
    mutationFn: () =>
      gateway.sandbox.inbound({ platform, sender: { id: person.id, name: person.name || null }, content }),
    onMutate: onPlay,
    onSuccess: onPlayed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    play.mutate();
  };
  return (
    <Section title="A person writes">
      <form onSubmit={submit}>
        <Stack>
          <SegmentedControl
            value={platform}
            onChange={(value) => setPlatform(value as Platform)}
            data={PLATFORM_OPTIONS}
            aria-label="Platform"
            fullWidth
          />
          <SimpleGrid cols={2} spacing="sm">
            <TextInput
              label="Name"
              value={person.name}
              maxLength={LONGEST_NAME}
              onChange={({ currentTarget: { value } }) => setPerson({ ...person, name: value })}
            />
            <TextInput
              label="Id on the platform"
              value={person.id}
              required
              withAsterisk={false}
              onChange={({ currentTarget: { value } }) => setPerson({ ...person, id: value })}
            />
          </SimpleGrid>
          <Textarea
            label="Message"
            autosize
            minRows={2}
            maxRows={8}
            value={content}
            maxLength={LONGEST_TEXT}
            onChange={({ currentTarget }) => setContent(currentTarget.value)}
          />
          {play.error && <FaultAlert error={play.error} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              leftSection={<PaperPlaneIcon />}
              loading={play.isPending}
              disabled={content.trim() === '' || person.id.trim() === ''}
            >
              Send as this person
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
