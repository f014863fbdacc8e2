import { useRef, useState } from 'react';
import { faultOf } from '../../../api/fault';
import { useGateway } from '../../../api/gateway';

export const MOST_FILES = 10;

export interface Upload {
  key: string;
  file: File;
  /** The id of the attachment; undefined until the gateway has the file. */
  id?: string;
  /** Why the upload failed. */
  fault?: string;
}

let keys = 0;

/** The files of the next message. Each upload starts at once. */
export function useUploads() {
  const gateway = useGateway();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const running = useRef(new Map<string, AbortController>());

  const change = (key: string, result: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...result } : each)));

  const start = async (key: string, file: File) => {
    const abort = new AbortController();
    running.current.set(key, abort);
    try {
      const { id } = await gateway.attachments.upload(file, { signal: abort.signal });
      change(key, { id });
    } catch (error) {
      change(key, { fault: faultOf(error).text });
    } finally {
      running.current.delete(key);
    }
  };

  const add = (files: Iterable<File>) => {
    const chosen = [...files].slice(0, MOST_FILES - uploads.length);
    const added = chosen.map((file) => ({ key: `file-${(keys += 1)}`, file }));
    setUploads((all) => [...all, ...added]);
    for (const { key, file } of added) void start(key, file);
  };

  const remove = (key: string) => {
    running.current.get(key)?.abort();
    setUploads((all) => all.filter((each) => each.key !== key));
  };

  return {
    uploads,
    add,
    remove,
    clear: () => setUploads([]),
    isBusy: uploads.some(({ id, fault }) => id === undefined && fault === undefined),
    ids: uploads.flatMap(({ id }) => (id === undefined ? [] : [id])),
  };
}
