import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation } from '#client';
import { useGateway } from '../../api/gateway';
import { Confirm } from '../../components/feedback/confirm';
import { showDone, showFault } from '../../components/feedback/notify';
import { nameOf } from '../../components/people/person-name';

interface EraseConversationProps {
  conversation: Conversation;
  opened: boolean;
  onClose: () => void;
}

export function EraseConversation({ conversation: { id, participant }, opened, onClose }: EraseConversationProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const erase = useMutation({
    mutationFn: () => gateway.conversations.erase(id),
    onSuccess: () => {
      showDone('The conversation is erased. The remaining data is deleted within a minute.');
      return Promise.all(
        [['conversation', id], ['conversations'], ['messages']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
    onError: showFault,
    onSettled: onClose,
  });
  return (
    <Confirm
      opened={opened}
      title="Erase the conversation?"
      confirm="Erase"
      busy={erase.isPending}
      onClose={onClose}
      onConfirm={() => erase.mutate()}
    >
      The gateway removes the texts and files of all messages, and the name and address of{' '}
      <b dir="auto">{nameOf(participant)}</b>. Unsent messages are dropped. Counts stay; contents are deleted. Older
      backups still contain this data. This cannot be undone.
    </Confirm>
  );
}
