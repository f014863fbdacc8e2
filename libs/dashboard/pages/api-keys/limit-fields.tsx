import { Group, NumberInput, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { KeyValues } from './key-values';

const MOST = 1_000_000;

/** The key's own rate limits, which replace its tier's. */
export function LimitFields({ form }: { form: UseFormReturnType<KeyValues> }) {
  return (
    <>
      <Switch label="Custom limits" {...form.getInputProps('ownLimits', { type: 'checkbox' })} />
      {form.values.ownLimits && (
        <Group grow>
          <NumberInput
            label="Requests per minute"
            min={1}
            max={MOST}
            thousandSeparator
            {...form.getInputProps('rate_limit.requests_per_minute')}
          />
          <NumberInput
            label="Requests per hour"
            min={1}
            max={MOST}
            thousandSeparator
            {...form.getInputProps('rate_limit.requests_per_hour')}
          />
        </Group>
      )}
    </>
  );
}
