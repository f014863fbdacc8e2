import { ActionIcon, Textarea } from '@mantine/core';
import { PaperPlaneIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, type FormEvent, type KeyboardEvent } from 'react';
import type { Conversation } from '#client';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';
import classes from './composer.module.css';
import { useDraft } from './use-draft';

const LONGEST_TEXT = 16_384;

interface ComposerProps {
  conversation: Conversation;
  onSent: () => void;
}

/** Writes as the business. A message takes the conversation over. */
export function Composer({ conversation, onSent }: ComposerProps) {
  const { id, platform, participant, handling } = conversation;
  const gateway = useGateway();
  const client = useQueryClient();
  const hint = useId();
  const [text, setText] = useDraft(id);
  const send = useMutation({
    mutationFn: (message: string) =>
      gateway.messages.send({ platform, recipient: participant.id, message, options: { take_over: true } }),
    onSuccess: () => {
      setText('');
      onSent();
      void client.invalidateQueries({ queryKey: ['conversation', id] });
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
      <div className={classes.line}>
        <Textarea
          aria-label="Message"
          aria-describedby={hint}
          placeholder="Write as the business …"
          className={classes.text}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={LONGEST_TEXT}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => {
            // While an input method composes a word, Enter chooses it.
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
        />
        <ActionIcon type="submit" size={36} aria-label="Send" loading={send.isPending} disabled={text.trim() === ''}>
          <PaperPlaneIcon />
        </ActionIcon>
      </div>
      <p className={classes.hint} id={hint}>
        {handling === 'human' ? '' : 'Sending takes the conversation over from the assistant. '}
        Enter sends, Shift + Enter makes a new line.
      </p>
    </form>
  );
}
