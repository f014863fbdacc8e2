import { Checkbox, SimpleGrid, Stack, Switch } from '@mantine/core';
import { EVENT_TYPES, type Webhook } from '#client';

type Events = Webhook['events'];

interface EventPickerProps {
  value?: Events;
  onChange?: (events: Events) => void;
  error?: React.ReactNode;
}

/** Chooses all events (including those of later versions) or some. */
export function EventPicker({ value = [], onChange, error }: EventPickerProps) {
  const all = value.includes('*');
  return (
    <Stack gap="xs">
      <Switch
        label="All events, also those that later versions add"
        checked={all}
        onChange={({ currentTarget: { checked } }) =>
          onChange?.(checked ? ['*'] : ['message.received', 'message.failed'])
        }
      />
      {!all && (
        <Checkbox.Group label="Events" value={value} onChange={(chosen) => onChange?.(chosen)} error={error}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={6}>
            {EVENT_TYPES.map((type) => (
              <Checkbox key={type} value={type} label={type} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
