import { NativeSelect, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { count } from '../../format/number';
import type { NumberSetting, SettingField } from './fields/setting-field';
import { ModelInput } from './providers/model-input';
import type { Prices } from './price-rows';
import { PricesInput } from './prices-input';
import classes from './settings.module.css';

interface SettingInputProps {
  field: SettingField;
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

/** The input of a setting, with its meaning and default. */
export function SettingInput({ field, value, fault, onChange }: SettingInputProps) {
  const { label, meaning } = field;
  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          label={label}
          description={`${meaning} Default: ${defaultOf(field)}`}
          error={fault}
          value={value === null || value === '' ? '' : (value as number) / (field.scale ?? 1)}
          min={field.min / (field.scale ?? 1)}
          max={field.max / (field.scale ?? 1)}
          clampBehavior="none"
          allowDecimal={field.decimal ?? false}
          step={field.decimal && !field.scale ? 0.1 : 1}
          thousandSeparator
          suffix={field.unit && ` ${field.unit}`}
          onChange={(next) => onChange(numberOf(field, next))}
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          description={`${meaning} Default: ${field.byDefault ? 'on' : 'off'}`}
          error={fault}
          checked={value as boolean}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          label={label}
          description={`${meaning} Default: ${field.byDefault}`}
          error={fault}
          data={[...field.of]}
          value={value as string}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'model':
      return <ModelInput field={field} value={value as string} fault={fault} onChange={onChange} />;
    case 'words':
      return (
        <TagsInput
          label={label}
          description={`${meaning} Default: ${field.nullable ? 'every one' : field.byDefault?.join(', ') || 'none'}`}
          error={fault}
          maxTags={field.most}
          placeholder={field.nullable && value !== null && !(value as string[]).length ? 'none' : undefined}
          value={(value as string[] | null) ?? []}
          onChange={(next) => onChange(next.length === 0 && field.nullable ? null : next)}
        />
      );
    case 'prices':
      return (
        <PricesInput
          label={label}
          meaning={meaning}
          of={field.of}
          columns={field.columns}
          value={value as Prices}
          fault={fault}
          onChange={onChange}
        />
      );
    case 'longText':
      return (
        <Textarea
          className={classes.wide}
          label={label}
          description={`${meaning} Default: ${field.byDefault ?? 'none'}`}
          error={fault}
          autosize
          minRows={field.nullable ? 1 : 3}
          maxRows={12}
          maxLength={field.max}
          value={(value as string | null) ?? ''}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' && field.nullable ? null : text)}
        />
      );
    case 'text':
    default:
      return (
        <TextInput
          label={label}
          description={`${meaning} Default: ${field.byDefault}`}
          error={fault}
          maxLength={field.max}
          value={(value as string | null) ?? ''}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' && field.nullable ? null : text)}
        />
      );
  }
}

/** Text that is not a number is left to the gateway to refuse. */
function numberOf({ nullable, scale = 1 }: NumberSetting, typed: number | string): number | string | null {
  if (typed === '' && nullable) return null;
  return typeof typed === 'number' && scale !== 1 ? Math.round(typed * scale) : typed;
}

function defaultOf({ byDefault, unit, scale = 1 }: NumberSetting): string {
  if (byDefault === null) return 'none';
  return `${count(byDefault / scale)}${unit ? ` ${unit}` : ''}`;
}
