import { Button } from '@mantine/core';
import { PlayIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import type { Attachment } from '#client';
import { durationInWords } from '../../../format/time';
import { KINDS } from './attachment-words';
import { DownloadButton, FileAttachment } from './file-attachment';
import { useContent } from './use-content';
import classes from './media.module.css';

/** A player for sound or video. Loads the file when the person starts it. */
export function Player({ attachment, form }: { attachment: Attachment; form: 'sound' | 'video' }) {
  const { id, kind, mime_type, filename, duration_seconds, transcript } = attachment;
  const [isWanted, setWanted] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const { url, error, isFetching } = useContent(id, mime_type!, isWanted);
  const name = filename ?? KINDS[kind];
  const media = { src: url, controls: true, autoPlay: true, 'aria-label': name, onError: () => setBroken(true) };
  return (
    <span className={classes.player}>
      {error || isBroken ? (
        <FileAttachment attachment={attachment} />
      ) : url ? (
        form === 'sound' ? (
          <audio {...media} />
        ) : (
          <video {...media} className={classes.video} />
        )
      ) : (
        <span className={classes.line}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlayIcon />}
            loading={isFetching}
            onClick={() => setWanted(true)}
          >
            {name}
            {duration_seconds !== null && ` (${durationInWords(Math.ceil(duration_seconds))})`}
          </Button>
          <DownloadButton attachment={attachment} />
        </span>
      )}
      {transcript && (
        <span className={classes.transcript} dir="auto">
          <b>Transcript:</b> {transcript}
        </span>
      )}
    </span>
  );
}
