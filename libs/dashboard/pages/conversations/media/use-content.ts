import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MessagingGateway } from '#client';
import { useGateway } from '../../../api/gateway';

/** The file, read with the key, as an address for this page alone. */
export function useContent(id: string, type: string, enabled: boolean) {
  const gateway = useGateway();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['attachment', id],
    queryFn: ({ signal }) => fileOf(gateway, id, type, signal),
    enabled,
    staleTime: Infinity,
    // Files are large: they leave the memory with what shows them.
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

/** @param type as the gateway has found it in the first bytes */
async function fileOf(gateway: MessagingGateway, id: string, type: string, signal?: AbortSignal): Promise<Blob> {
  const content = await gateway.attachments.download(id, { signal });
  return new Blob([await content.blob()], { type });
}

const KEPT_MS = 60_000;

/** Saves a file; the browser never opens it as a page. */
export async function download(gateway: MessagingGateway, id: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await fileOf(gateway, id, 'application/octet-stream'));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
