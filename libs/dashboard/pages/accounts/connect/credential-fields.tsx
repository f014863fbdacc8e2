import { PasswordInput, TextInput } from '@mantine/core';
import type { Platform } from '../../../components/people/platform';
import { CREDENTIAL_FIELDS, type Credentials } from './credentials';

interface CredentialFieldsProps {
  platform: Platform;
  values: Credentials;
  faults: Record<string, string>;
  onChange: (values: Credentials) => void;
}

/** Where the credentials of a bot or number are pasted. */
export function CredentialFields({ platform, values, faults, onChange }: CredentialFieldsProps) {
  return CREDENTIAL_FIELDS[platform].map(({ name, label, description, example, isPlain }) => {
    const Input = isPlain ? TextInput : PasswordInput;
    return (
      <Input
        key={name}
        label={label}
        description={description}
        placeholder={example}
        error={faults[name]}
        autoComplete="off"
        value={values[name] ?? ''}
        onChange={({ currentTarget }) => onChange({ ...values, [name]: currentTarget.value })}
      />
    );
  });
}
