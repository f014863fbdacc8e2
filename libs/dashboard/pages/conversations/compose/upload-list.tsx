import { CloseButton, Loader } from '@mantine/core';
import { FileIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { bytes } from '../../../format/number';
import classes from './composer.module.css';
import type { Upload } from './use-uploads';

/** The files of the next message. */
export function UploadList({ uploads, onRemove }: { uploads: readonly Upload[]; onRemove: (key: string) => void }) {
  if (uploads.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Files to send">
      {uploads.map(({ key, file, id, fault }) => (
        <li key={key} className={classes.chip} data-failed={fault !== undefined || undefined}>
          {id === undefined && fault === undefined && <Loader size={14} aria-label="Uploading" />}
          <Thumbnail file={file} />
          <span className={classes.name}>
            {file.name} <span className={classes.size}>{fault ?? bytes(file.size)}</span>
          </span>
          <CloseButton size="xs" aria-label={`Remove ${file.name}`} onClick={() => onRemove(key)} />
        </li>
      ))}
    </ul>
  );
}

/** The picture itself; an icon for any other file, and for a picture that the browser cannot show. */
function Thumbnail({ file }: { file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return undefined;
    const address = URL.createObjectURL(file);
    setUrl(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);
  if (url === undefined) return <FileIcon aria-hidden />;
  return <img src={url} alt="" className={classes.picture} onError={() => setUrl(undefined)} />;
}
