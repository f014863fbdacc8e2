import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormModal } from '../../../components/form-modal';

const MOST_BUTTONS = 3;
const LONGEST_TITLE = 20;
const NOT_A_REQUEST = { error: null, isPending: false };

interface OptionsFormProps {
  titles: readonly string[];
  onChange: (titles: string[]) => void;
  onClose: () => void;
}

/** Asks for the titles of up to three buttons below the message. */
export default function OptionsForm({ titles: before, onChange, onClose }: OptionsFormProps) {
  const [titles, setTitles] = useState(() => Array.from({ length: MOST_BUTTONS }, (_, index) => before[index] ?? ''));
  const given = titles.map((title) => title.trim()).filter(Boolean);
  const isTwice = new Set(given).size < given.length;
  return (
    <FormModal
      title="Buttons below the message"
      submit="Add"
      request={NOT_A_REQUEST}
      disabled={given.length === 0 || isTwice}
      onSubmit={() => {
        onChange(given);
        onClose();
      }}
      onClose={onClose}
    >
      {titles.map((title, index) => (
        <TextInput
          key={index}
          label={`Button ${index + 1}`}
          maxLength={LONGEST_TITLE}
          value={title}
          data-autofocus={index === 0 || undefined}
          error={
            isTwice && given.indexOf(title.trim()) < index && given.includes(title.trim()) && index > 0
              ? 'Two buttons have the same text.'
              : undefined
          }
          onChange={({ currentTarget: { value } }) => setTitles(titles.with(index, value))}
        />
      ))}
    </FormModal>
  );
}
