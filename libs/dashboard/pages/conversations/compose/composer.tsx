import { ActionIcon, FileButton, Textarea } from '@mantine/core';
import { FilePlusIcon, PaperPlaneIcon } from '@radix-ui/react-icons';
import { useId, type ClipboardEvent, type FormEvent, type KeyboardEvent } from 'react';
import type { Conversation } from '#client';
import { showFault } from '../../../components/feedback/notify';
import classes from './composer.module.css';
import { UploadList } from './upload-list';
import { useDraft } from './use-draft';
import { useDrop } from './use-drop';
import { useSend } from './use-send';
import { MOST_FILES, useUploads } from './use-uploads';

const LONGEST_TEXT = 16_384;

interface ComposerProps {
  conversation: Conversation;
  onSent: () => void;
}

/** Writes as the business. A message takes the conversation over. */
export function Composer({ conversation, onSent }: ComposerProps) {
  const { id, handling } = conversation;
  const hint = useId();
  const [text, setText] = useDraft(id);
  const files = useUploads();
  const { ref, isOver } = useDrop<HTMLFormElement>(files.add);
  const send = useSend(conversation);
  const isEmpty = text.trim() === '' && files.ids.length === 0;
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isEmpty || files.isBusy || send.isPending) return;
    const attachments = files.ids.length > 0 ? files.ids.map((attachment) => ({ id: attachment })) : undefined;
    send.mutate(
      { message: text.trim() === '' ? undefined : text, attachments },
      {
        onSuccess: () => {
          setText('');
          files.clear();
          onSent();
        },
        onError: showFault,
      },
    );
  };
  return (
    <form className={classes.composer} onSubmit={submit} ref={ref} data-over={isOver || undefined}>
      <UploadList uploads={files.uploads} onRemove={files.remove} />
      <div className={classes.line}>
        <FileButton multiple onChange={files.add}>
          {(props) => (
            <ActionIcon
              {...props}
              variant="default"
              size={36}
              aria-label="Attach files"
              disabled={files.uploads.length >= MOST_FILES}
            >
              <FilePlusIcon />
            </ActionIcon>
          )}
        </FileButton>
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
          onPaste={(event: ClipboardEvent) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            files.add(event.clipboardData.files);
          }}
          onKeyDown={(event: KeyboardEvent) => {
            // While an input method composes a word, Enter chooses it.
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
        />
        <ActionIcon
          type="submit"
          size={36}
          aria-label="Send"
          loading={send.isPending}
          disabled={isEmpty || files.isBusy}
        >
          <PaperPlaneIcon />
        </ActionIcon>
      </div>
      <p className={classes.hint} id={hint}>
        {handling === 'human' ? '' : 'Sending takes the conversation over from the assistant. '}
        Enter sends, Shift + Enter makes a new line. Drop files here, or paste them.
      </p>
    </form>
  );
}
