import { Modal, UnstyledButton } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useState } from 'react';
import type { Attachment } from '#client';
import { FileAttachment } from './file-attachment';
import { useContent } from './use-content';
import classes from './media.module.css';

const LONGEST_SIDE = 280;

/** A thumbnail. Loads when it becomes visible; a click shows it large. */
export function ImageAttachment({ attachment }: { attachment: Attachment }) {
  const { id, mime_type, filename, width, height } = attachment;
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const [wasSeen, setWasSeen] = useState(false);
  if (inViewport && !wasSeen) setWasSeen(true);
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const { url, error } = useContent(id, mime_type!, wasSeen);
  if (error || isBroken) return <FileAttachment attachment={attachment} />;
  const name = filename ?? 'Image';
  return (
    <span ref={ref} className={classes.thumbnail} style={sizeOf(width, height)}>
      {url && (
        <UnstyledButton onClick={() => setLarge(true)} aria-label={`${name}: show it large`}>
          <img src={url} alt="" onError={() => setBroken(true)} />
        </UnstyledButton>
      )}
      <Modal opened={isLarge} onClose={() => setLarge(false)} title={name} size="auto">
        <img src={url} alt={name} className={classes.large} />
        <FileAttachment attachment={attachment} />
      </Modal>
    </span>
  );
}

/** The size of the thumbnail, known before it loads, so that the layout does not move. */
function sizeOf(width: number | null, height: number | null) {
  if (!width || !height) return { width: LONGEST_SIDE / 2, height: LONGEST_SIDE / 2 };
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return { width: Math.max(48, Math.round(width * scale)), height: Math.max(48, Math.round(height * scale)) };
}
