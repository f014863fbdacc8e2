import { CloseButton, Loader } from '@mantine/core';
import { FileIcon } from '@radix-ui/react-icons';
import { bytes } from '../../../format/number';
import classes from './composer.module.css';
import type { Upload } from './use-uploads';

/** The files of the next message. */
export function UploadList({ uploads, onRemove }: { uploads: readonly Upload[]; onRemove: (key: string) => void }) {
  if (uploads.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Files to send">
      {uploads.map(({ key, name, size, id, fault }) => (
        <li key={key} className={classes.chip} data-failed={fault !== undefined || undefined}>
          {id === undefined && fault === undefined ? (
            <Loader size={14} aria-label="Uploading" />
          ) : (
            <FileIcon aria-hidden />
          )}
          <span className={classes.name}>
            {name} <span className={classes.size}>{fault ?? bytes(size)}</span>
          </span>
          <CloseButton size="xs" aria-label={`Remove ${name}`} onClick={() => onRemove(key)} />
        </li>
      ))}
    </ul>
  );
}
