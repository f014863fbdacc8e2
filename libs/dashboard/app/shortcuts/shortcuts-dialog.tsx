import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core';
import { useOpened } from '../../components/hooks/use-opened';
import { PAGES } from '../navigation';
import { shortcuts, type ShortcutsState } from './shortcut-keys';

/** Lists the shortcuts. */
export default function ShortcutsDialog({ shown, enabled }: ShortcutsState) {
  return (
    <Modal opened={useOpened(shown)} onClose={() => shortcuts.show(false)} title="Keyboard" size="sm">
      <Stack gap="xs">
        <Row keys={['Ctrl', 'K']} text="Go to a page, a conversation or an id" />
        <Row keys={['/']} text="Search" />
        <Row keys={['j', 'k']} text="Next and previous conversation; also the arrows" />
        <Row keys={['?']} text="This list" />
        <Row keys={['Esc']} text="Close" />
        {PAGES.map(({ key, title }) => (
          <Row key={key} keys={['g', key]} text={title} />
        ))}
        <Switch
          mt="sm"
          label="Single keys are shortcuts"
          checked={enabled}
          onChange={({ currentTarget }) => shortcuts.enable(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

function Row({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <Group justify="space-between">
      <Text size="sm">{text}</Text>
      <Group gap={4}>
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  );
}
