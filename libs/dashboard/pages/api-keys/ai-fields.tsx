import { Group, NumberInput, TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { KeyValues } from './key-values';

const BUDGETS = [
  ['daily_usd', 'Daily AI budget'],
  ['monthly_usd', 'Monthly AI budget'],
] as const;

/** The key's AI budgets and allowed models. */
export function AiFields({ form }: { form: UseFormReturnType<KeyValues> }) {
  return (
    <>
      <Group grow align="flex-start">
        {BUDGETS.map(([field, label]) => (
          <NumberInput
            key={field}
            label={label}
            description="US dollars; empty: only the gateway’s budget applies"
            min={0}
            prefix="$"
            thousandSeparator
            {...form.getInputProps(`ai_budget.${field}`)}
          />
        ))}
      </Group>
      <TagsInput
        label="AI models"
        description="Models that a request may name; empty: all models"
        placeholder="claude-haiku-4-5"
        {...form.getInputProps('ai_models')}
      />
    </>
  );
}
