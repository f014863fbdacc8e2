import { join } from 'node:path';
import { DiskStorage } from './disk-storage';
import type { MediaStorage } from './media-storage.port';
import { Spool } from './spool';

/** Where the files of messages are: MEDIA_DIR and MEDIA_S3_URL. */
export interface MediaPlace {
  directory: string;
  s3Url?: string;
}

/** A spool on the disk of the storage, so that a rename moves a file into the storage. */
export function spoolAt({ directory }: MediaPlace): Spool {
  return new Spool(join(directory, 'incoming'));
}

/** The SDK is loaded only where it is used. */
export async function openMediaStorage({ directory, s3Url }: MediaPlace): Promise<MediaStorage> {
  if (s3Url === undefined) return new DiskStorage(directory);
  const { S3Storage } = await import('./s3-storage.js');
  return new S3Storage(new URL(s3Url));
}
