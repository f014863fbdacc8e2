import { Button, Group, Text } from '@mantine/core';
import classes from './settings.module.css';

interface SaveBarProps {
  changed: boolean;
  isSaving: boolean;
  onDiscard: () => void;
}

/** Saves or discards the changes of a form; it stays in sight while there are any. */
export function SaveBar({ changed, isSaving, onDiscard }: SaveBarProps) {
  return (
    <div className={classes.bar} data-shown={changed || undefined}>
      <Text size="sm" role="status">
        {changed ? 'There are unsaved changes.' : 'Everything is saved.'}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={!changed} onClick={onDiscard}>
          Discard
        </Button>
        <Button type="submit" disabled={!changed} loading={isSaving}>
          Save
        </Button>
      </Group>
    </div>
  );
}
