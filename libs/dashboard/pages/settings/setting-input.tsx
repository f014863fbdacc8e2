import { NativeSelect, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { count } from '../../format/number';
import type { SettingField } from './setting-fields';
import { ModelInput } from './providers/model-input';
import { isSame } from './setting-values';
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
          value={value === null ? '' : (value as number)}
          min={field.min}
          max={field.max}
          clampBehavior="none"
          allowDecimal={field.decimal ?? false}
          step={field.decimal ? 0.1 : 1}
          thousandSeparator
          suffix={field.unit && ` ${field.unit}`}
          onChange={(next) => onChange(next === '' && field.nullable ? null : next)}
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
          description={`${meaning} Default: ${field.byDefault}`}
          error={fault}
          maxTags={field.most}
          value={value as string[]}
          onChange={onChange}
        />
      );
    case 'prices':
      return <PricesInput label={label} meaning={meaning} value={value} fault={fault} onChange={onChange} />;
    case 'longText':
      return (
        <Textarea
          className={classes.wide}
          label={label}
          description={`${meaning} Default: ${field.byDefault}`}
          error={fault}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={field.max}
          value={value as string}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
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

function defaultOf({ byDefault, nullable, unit }: Extract<SettingField, { kind: 'number' }>): string {
  if (nullable && byDefault === 0) return 'none';
  return `${count(byDefault)}${unit ? ` ${unit}` : ''}`;
}

interface PricesInputProps {
  label: string;
  meaning: string;
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

/** An input for JSON. While the text is not JSON, it is the value itself: the gateway refuses it, so that nothing else is saved. */
function PricesInput({ label, meaning, value, fault, onChange }: PricesInputProps) {
  const [typed, setTyped] = useState('');
  // Something else sets the value, too: the loaded settings, and Discard.
  const text = isSame(valueOf(typed), value) ? typed : JSON.stringify(value, null, 2);
  return (
    <Textarea
      className={classes.wide}
      label={label}
      description={meaning}
      error={typeof value === 'string' ? 'This is not JSON.' : fault}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      value={text}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(valueOf(currentTarget.value));
      }}
    />
  );
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
