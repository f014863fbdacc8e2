import { ActionIcon, Loader } from '@mantine/core';
import { DownloadIcon, FileIcon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import type { Attachment } from '#client';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';
import { bytes } from '../../../format/number';
import { KINDS } from './attachment-words';
import { download } from './use-content';
import classes from './media.module.css';

/** Name, size and a download. */
export function FileAttachment({ attachment }: { attachment: Attachment }) {
  const { kind, filename, size_bytes } = attachment;
  return (
    <span className={classes.file}>
      <FileIcon aria-hidden />
      <span className={classes.name}>
        <span dir="auto">{filename ?? KINDS[kind]}</span>
        {size_bytes !== null && <span className={classes.size}>{bytes(size_bytes)}</span>}
      </span>
      <DownloadButton attachment={attachment} />
    </span>
  );
}

export function DownloadButton({ attachment: { id, kind, filename } }: { attachment: Attachment }) {
  const gateway = useGateway();
  const name = filename ?? KINDS[kind];
  const save = useMutation({ mutationFn: () => download(gateway, id, name), onError: showFault });
  return (
    <ActionIcon
      variant="transparent"
      c="inherit"
      aria-label={`Download ${name}`}
      disabled={save.isPending}
      onClick={() => save.mutate()}
    >
      {save.isPending ? <Loader size={14} color="currentcolor" /> : <DownloadIcon />}
    </ActionIcon>
  );
}
