import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormModal } from '../../../components/form-modal';
import { useNow } from '../../../format/use-now';
import { faultOfTime, localTime } from './send-time';

const NOT_A_REQUEST = { error: null, isPending: false };
const HOUR_MS = 3_600_000;

interface LaterFormProps {
  /** ISO 8601 */
  sendAt: string | undefined;
  onChange: (sendAt: string) => void;
  onClose: () => void;
}

/** Asks for the time at which to send the message. */
export default function LaterForm({ sendAt, onChange, onClose }: LaterFormProps) {
  const now = useNow();
  const [value, setValue] = useState(() => localTime(sendAt ? Date.parse(sendAt) : now + HOUR_MS));
  const fault = faultOfTime(value, now);
  return (
    <FormModal
      title="Send later"
      submit="Set the time"
      request={NOT_A_REQUEST}
      disabled={fault !== undefined}
      onSubmit={() => {
        onChange(new Date(value).toISOString());
        onClose();
      }}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="Time"
        description="In your time zone, at most 30 days ahead. You can cancel the message until then."
        data-autofocus
        value={value}
        error={fault}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
    </FormModal>
  );
}
