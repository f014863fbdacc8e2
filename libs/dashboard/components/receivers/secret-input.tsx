import { PasswordInput, type PasswordInputProps } from '@mantine/core';

interface SecretInputProps extends PasswordInputProps {
  /** Whether the receiver has a secret already. */
  isChange: boolean;
  /** Plural of what is signed: "deliveries", "calls". */
  signed: string;
}

/** The secret that signs what is posted to a receiver. */
export function SecretInput({ isChange, signed, ...input }: SecretInputProps) {
  return (
    <PasswordInput
      label="Secret"
      description={
        isChange
          ? `Empty: unchanged. For 24 hours after a change, ${signed} carry the signatures of both.`
          : 'At least 16 characters. Empty: the gateway makes one, and shows it once.'
      }
      autoComplete="off"
      maxLength={256}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
      {...input}
    />
  );
}
