import { ActionIcon, Textarea } from '@mantine/core';
import { PaperPlaneIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type KeyboardEvent } from 'react';
import type { Conversation } from '#client';
import { useGateway } from '../../api/gateway';
import { showFault } from '../../components/feedback/notify';
import classes from './chat.module.css';

const LONGEST_TEXT = 16_384;

/** Writes as the business. */
export function Composer({ conversation: { id, platform, participant } }: { conversation: Conversation }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const send = useMutation({
    mutationFn: (message: string) => gateway.messages.send({ platform, recipient: participant.id, message }),
    onSuccess: () => {
      setText('');
      return client.invalidateQueries({ queryKey: ['messages', id] });
    },
    onError: showFault,
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  return (
    <form className={classes.composer} onSubmit={submit}>
      <Textarea
        aria-label="Message (Ctrl + Enter sends it)"
        placeholder="Write as the business …"
        autosize
        minRows={1}
        maxRows={8}
        maxLength={LONGEST_TEXT}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      />
      <ActionIcon type="submit" size={36} aria-label="Send" loading={send.isPending} disabled={text.trim() === ''}>
        <PaperPlaneIcon />
      </ActionIcon>
    </form>
  );
}
