import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MessagingGateway } from '#client';
import { useGateway } from '../../../api/gateway';

/** Loads a file with the key. @returns a blob URL, valid only in this page */
export function useContent(id: string, type: string, enabled: boolean) {
  const gateway = useGateway();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['attachment', id],
    queryFn: ({ signal }) => fileOf(gateway, id, type, signal),
    enabled,
    staleTime: Infinity,
    // Files are large: frees the memory when the component unmounts.
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!data) return undefined;
    const address = URL.createObjectURL(data);
    setUrl(address);
    return () => URL.revokeObjectURL(address);
  }, [data]);
  return { url, error, refetch, isFetching };
}

/** @param type media type that the gateway detected from the first bytes */
async function fileOf(gateway: MessagingGateway, id: string, type: string, signal?: AbortSignal): Promise<Blob> {
  const content = await gateway.attachments.download(id, { signal });
  return new Blob([await content.blob()], { type });
}

const KEPT_MS = 60_000;

/** Saves a file. As `application/octet-stream`, so that the browser never opens it as a page. */
export async function download(gateway: MessagingGateway, id: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await fileOf(gateway, id, 'application/octet-stream'));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
