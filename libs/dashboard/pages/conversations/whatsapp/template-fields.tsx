import { TextInput } from '@mantine/core';
import type { Template } from '#client';
import { fieldsOf, type TemplateValues } from './template-preview';

const LONGEST = 1_024;

interface TemplateFieldsProps {
  template: Template;
  values: TemplateValues;
  onChange: (values: TemplateValues) => void;
}

/** A field for each parameter of a template. */
export function TemplateFields({ template, values, onChange }: TemplateFieldsProps) {
  const { header, body, buttons } = fieldsOf(template);
  const changed = (list: readonly string[], index: number, value: string, length: number) =>
    Array.from({ length }, (_, place) => (place === index ? value : (list[place] ?? '')));
  return (
    <>
      {header && (
        <TextInput
          label={header === 'text' ? 'Header' : 'Address of the file in the header'}
          type={header === 'text' ? 'text' : 'url'}
          maxLength={LONGEST}
          value={values.header}
          onChange={({ currentTarget: { value } }) => onChange({ ...values, header: value })}
        />
      )}
      {body.map((name, index) => (
        <TextInput
          key={name}
          label={`{{${name}}}`}
          maxLength={LONGEST}
          value={values.body[index] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...values, body: changed(values.body, index, value, body.length) })
          }
        />
      ))}
      {Array.from({ length: buttons }, (_, index) => (
        <TextInput
          key={index}
          label={`Parameter of button ${index + 1}`}
          maxLength={LONGEST}
          value={values.buttons[index] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...values, buttons: changed(values.buttons, index, value, buttons) })
          }
        />
      ))}
    </>
  );
}
