import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { S3Bucket, storageFault } from '../../../core/object-storage/s3-bucket';
import { BackupFault } from '../archive/backup-fault';
import type { BackupSource } from '../archive/backup-source';
import { parseBackupFileName } from '../archive/manifest';

/** Smallest part of an upload, in bytes. Backups above 75 GB have larger parts, because S3 takes at most 10,000. */
const PART_BYTES = 8 * 1024 * 1024;

/** S3-compatible storage. */
export class ObjectStore {
  private readonly storage: S3Bucket;

  /** @param url `https://ACCESS_KEY:SECRET@host/bucket/prefix?region=eu-central-1` */
  constructor(url: URL) {
    this.storage = new S3Bucket(url);
  }

  get address(): string {
    return this.storage.address;
  }

  /** @throws if the upload fails; then the storage has no such object */
  async put(name: string, path: string, sizeBytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const partSize = Math.max(PART_BYTES, Math.ceil(sizeBytes / 9_000));
    const bytes = createReadStream(path);
    bytes.on('error', () => undefined); // the upload reports it, if it still reads
    const params = { ...this.storage.object(name), Body: bytes };
    const upload = new Upload({ client: this.storage.client, params, partSize, queueSize: 1 });
    const abort = (): void => void upload.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await upload.done();
    } catch (error) {
      signal.throwIfAborted();
      throw new BackupFault(`The copy to BACKUP_S3_URL failed: ${storageFault(error)}`, { cause: error });
    } finally {
      signal.removeEventListener('abort', abort);
      bytes.destroy();
    }
  }

  async remove(name: string): Promise<void> {
    await this.storage.client.send(new DeleteObjectCommand(this.storage.object(name)));
  }

  /** The backups directly under the prefix, by name, with their sizes in bytes. */
  async list(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const pages = paginateListObjectsV2(
      { client: this.storage.client },
      { Bucket: this.storage.bucket, Prefix: this.storage.prefix },
    );
    try {
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0 } of Contents) {
          const name = Key.slice(this.storage.prefix.length);
          if (parseBackupFileName(name)) found.set(name, Size);
        }
      }
    } catch (error) {
      throw new BackupFault(sentenceOf(error), { cause: error });
    }
    return found;
  }

  source(name: string): BackupSource {
    return {
      name: `${this.address}/${name}`,
      size: async () => {
        try {
          return (await this.storage.client.send(new HeadObjectCommand(this.storage.object(name)))).ContentLength ?? 0;
        } catch (error) {
          const fault = error instanceof NotFound ? `The file ${name} is missing` : sentenceOf(error);
          throw new BackupFault(fault, { cause: error });
        }
      },
      open: async (bytes) => {
        const range = bytes === undefined ? {} : { Range: `bytes=0-${bytes - 1}` };
        try {
          const { Body } = await this.storage.client.send(
            new GetObjectCommand({ ...this.storage.object(name), ...range }),
          );
          return Body as Readable;
        } catch (error) {
          throw new BackupFault(sentenceOf(error), { cause: error });
        }
      },
    };
  }

  /** @throws the storage's refusal, or the reason why it cannot be reached */
  async probe(abortSignal: AbortSignal): Promise<void> {
    const one = new ListObjectsV2Command({ Bucket: this.storage.bucket, Prefix: this.storage.prefix, MaxKeys: 1 });
    await this.storage.client.send(one, { abortSignal });
  }
}

function sentenceOf(error: unknown): string {
  const reason = storageFault(error);
  return `${reason[0]!.toUpperCase()}${reason.slice(1)}`;
}
