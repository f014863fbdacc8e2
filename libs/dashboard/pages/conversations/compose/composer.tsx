import { ActionIcon, FileButton, Textarea } from '@mantine/core';
import { FilePlusIcon, PaperPlaneIcon } from '@radix-ui/react-icons';
import { useId, useState, type ClipboardEvent, type FormEvent, type KeyboardEvent } from 'react';
import type { Conversation } from '#client';
import { showFault } from '../../../components/feedback/notify';
import classes from './composer.module.css';
import { contentOf, NO_EXTRAS, type Extras } from './content';
import { ExtrasList, ExtrasMenu } from './extras';
import { windowInWords } from '../whatsapp/window-words';
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

/** Sends messages as the business. A message takes over the conversation from the assistant. */
export function Composer({ conversation, onSent }: ComposerProps) {
  const { id } = conversation;
  const hint = useId();
  const [text, setText] = useDraft(id);
  const files = useUploads();
  const [extras, setExtras] = useState(NO_EXTRAS);
  const { ref, isOver } = useDrop<HTMLFormElement>(files.add);
  const send = useSend(conversation);
  // Buttons need a text above them.
  const isEmpty = text.trim() === '' && (files.ids.length === 0 || extras.titles.length > 0);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isEmpty || files.isBusy || send.isPending) return;
    const message = text.trim() === '' ? undefined : text;
    send.mutate(contentOf(message, files.ids, extras), {
      onSuccess: () => {
        setText('');
        files.clear();
        setExtras(NO_EXTRAS);
        onSent();
      },
      onError: showFault,
    });
  };
  return (
    <form className={classes.composer} onSubmit={submit} ref={ref} data-over={isOver || undefined}>
      <ExtrasList extras={extras} onChange={setExtras} />
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
        <ExtrasMenu conversation={conversation} extras={extras} onChange={setExtras} onSent={onSent} />
        <Textarea
          aria-label="Message"
          aria-describedby={hint}
          placeholder="Write …"
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
            // While an input method composes a word, Enter confirms the word.
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
        {hintsOf(conversation, extras).join(' ')}
        <span className={classes.keys}>
          {' '}
          Enter sends, Shift + Enter makes a new line. Drop files here, or paste them.
        </span>
      </p>
    </form>
  );
}

function hintsOf({ handling, window }: Conversation, { sendAt }: Extras): string[] {
  return [
    window && !windowInWords(window, Date.now()).isOpen ? 'Outside the window only templates arrive.' : '',
    handling === 'human' || sendAt !== undefined ? '' : 'Sending takes the conversation over from the assistant.',
  ].filter(Boolean);
}
