import { Button, Group, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Scope } from '../../session/session';
import type { KeyValues } from './key-values';

/** The scopes of common programs. */
const PRESETS: readonly { title: string; scopes: Scope[] }[] = [
  { title: 'Support desk', scopes: ['read:conversations', 'read:messages', 'write:messages'] },
  { title: 'Shop system', scopes: ['read:messages', 'write:messages'] },
  { title: 'Read only', scopes: ['read:status', 'read:conversations', 'read:messages'] },
  { title: 'Everything', scopes: ['*'] },
];

/** Fills in the scopes of a new key. */
export function KeyPresets({ form }: { form: UseFormReturnType<KeyValues> }) {
  const chosen = form.values.scopes.toSorted().join();
  return (
    <div role="group" aria-label="Presets">
      <Text size="sm" fw={500} mb={6}>
        What is it for?
      </Text>
      <Group gap="xs">
        {PRESETS.map(({ title, scopes }) => {
          const isChosen = scopes.toSorted().join() === chosen;
          return (
            <Button
              key={title}
              size="compact-sm"
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => form.setFieldValue('scopes', scopes)}
            >
              {title}
            </Button>
          );
        })}
      </Group>
    </div>
  );
}
