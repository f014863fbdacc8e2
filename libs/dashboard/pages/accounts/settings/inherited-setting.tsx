import { Button, Text } from '@mantine/core';
import { SettingInput } from '../../settings/setting-input';
import settingClasses from '../../settings/settings.module.css';
import type { AccountField } from './account-fields';

interface InheritedSettingProps {
  setting: AccountField;
  /** Null inherits. */
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

/** A setting that the account inherits or overrides. */
export function InheritedSetting({
  setting: { field, inherited, words },
  value,
  fault,
  onChange,
}: InheritedSettingProps) {
  const { label, meaning, kind } = field;
  const className = kind === 'longText' ? settingClasses.wide : undefined;
  if (value === null)
    return (
      <div className={className}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {meaning}
        </Text>
        <Text size="sm" my={6} lineClamp={4} dir="auto">
          <b>Inherited:</b> {words}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Override for this account: ${label}`}
          onClick={() => onChange(inherited)}
        >
          Override for this account
        </Button>
      </div>
    );
  return (
    <div className={className}>
      <SettingInput field={field} value={value} fault={fault} onChange={onChange} />
      <Button
        size="compact-sm"
        variant="default"
        mt={6}
        aria-label={`Inherit again: ${label}`}
        onClick={() => onChange(null)}
      >
        Inherit again
      </Button>
    </div>
  );
}
