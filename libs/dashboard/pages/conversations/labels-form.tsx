import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Conversation } from '#client';
import { FormModal } from '../../components/form-modal';
import { useConversationActions } from './use-conversation-actions';

/** Changes the labels of the conversation. */
export function LabelsForm({
  conversation: { id, labels },
  onClose,
}: {
  conversation: Conversation;
  onClose: () => void;
}) {
  const { change } = useConversationActions(id);
  const [words, setWords] = useState(labels.join(', '));
  const wanted = words
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  return (
    <FormModal
      title="Labels"
      submit="Save"
      request={change}
      onSubmit={() => change.mutate({ labels: wanted }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label="Labels"
        description="Up to 20, separated by commas."
        value={words}
        data-autofocus
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
    </FormModal>
  );
}
