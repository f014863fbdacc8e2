import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button';

/** An id, with a button that copies it. */
export function Identifier({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={2} wrap="nowrap" display="inline-flex" maw="100%" miw={0}>
      <Text span className="mono" c="dimmed" truncate>
        {value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
