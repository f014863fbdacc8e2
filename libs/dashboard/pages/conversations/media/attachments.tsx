import { Anchor, Loader } from '@mantine/core';
import { FileIcon, PersonIcon, SewingPinIcon } from '@radix-ui/react-icons';
import type { Attachment } from '#client';
import { absenceOf, captionOf, formOf, KINDS, mapAddress } from './attachment-words';
import { FileAttachment } from './file-attachment';
import { ImageAttachment } from './image-attachment';
import { Player } from './player';
import classes from './media.module.css';
import type { ShownMessage } from '../../../live/messages/shown-message';

/** The files, places and contacts of a message. */
export function Attachments({ message }: { message: ShownMessage }) {
  const { attachments } = message;
  if (attachments.length === 0) return null;
  return (
    <ul className={classes.list} data-album={attachments.length > 1 || undefined}>
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <Shown attachment={attachment} message={message} />
        </li>
      ))}
    </ul>
  );
}

function Shown({ attachment, message }: { attachment: Attachment; message: ShownMessage }) {
  const { kind, status, filename } = attachment;
  if (kind === 'location') return <Place text={captionOf(message)} />;
  if (kind === 'contact')
    return (
      <span className={classes.line}>
        <PersonIcon aria-hidden /> {KINDS.contact}
      </span>
    );
  if (status !== 'stored')
    return (
      <span className={classes.absent}>
        {status === 'pending' ? <Loader size={14} /> : <FileIcon aria-hidden />}
        <span>
          {filename ?? KINDS[kind]}: {absenceOf(attachment)}
        </span>
      </span>
    );
  const form = formOf(attachment);
  if (form === 'image') return <ImageAttachment attachment={attachment} />;
  return form === 'file' ? <FileAttachment attachment={attachment} /> : <Player attachment={attachment} form={form} />;
}

function Place({ text }: { text: string }) {
  const address = mapAddress(text);
  return (
    <span className={classes.line}>
      <SewingPinIcon aria-hidden /> {KINDS.location}
      {address && (
        <Anchor href={address} target="_blank" rel="noopener noreferrer" size="sm" c="inherit" underline="always">
          Open the map
        </Anchor>
      )}
    </span>
  );
}
