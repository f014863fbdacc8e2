import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BackupFault } from '../archive/backup-fault';
import type { BackupSource } from '../archive/backup-source';
import { parseBackupFileName } from '../archive/manifest';
import { objectAddress } from './object-address';

/** A part of an upload, in bytes: S3 takes at most 10,000 parts, so a backup may have 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;

/** S3-compatible storage. */
export class ObjectStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;
  readonly address: string;

  /** @param url `https://ACCESS_KEY:SECRET@host/bucket/prefix?region=eu-central-1` */
  constructor(url: URL) {
    const [bucket = '', ...prefix] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    this.address = objectAddress(url);
    this.bucket = bucket;
    this.prefix = prefix.map((part) => `${part}/`).join('');
    this.client = new S3Client({
      endpoint: url.origin,
      region: url.searchParams.get('region') ?? 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: decodeURIComponent(url.username),
        secretAccessKey: decodeURIComponent(url.password),
      },
      maxAttempts: 5,
    });
  }

  /** @throws when the storage does not take it; then it has no such object */
  async put(name: string, path: string, sizeBytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const partSize = Math.max(PART_BYTES, Math.ceil(sizeBytes / 9_000));
    const params = { ...this.object(name), Body: createReadStream(path) };
    const upload = new Upload({ client: this.client, params, partSize, queueSize: 1 });
    const abort = (): void => void upload.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await upload.done();
    } catch (error) {
      signal.throwIfAborted();
      throw new BackupFault(`The copy to BACKUP_S3_URL failed: ${reasonOf(error)}`, { cause: error });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async remove(name: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.object(name)));
  }

  /** The backups directly under the prefix, by name, with their sizes in bytes. */
  async list(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: this.prefix });
    try {
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0 } of Contents) {
          const name = Key.slice(this.prefix.length);
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
          return (await this.client.send(new HeadObjectCommand(this.object(name)))).ContentLength ?? 0;
        } catch (error) {
          const fault = error instanceof NotFound ? `The file ${name} is missing` : sentenceOf(error);
          throw new BackupFault(fault, { cause: error });
        }
      },
      open: async (bytes) => {
        const range = bytes === undefined ? {} : { Range: `bytes=0-${bytes - 1}` };
        try {
          const { Body } = await this.client.send(new GetObjectCommand({ ...this.object(name), ...range }));
          return Body as Readable;
        } catch (error) {
          throw new BackupFault(sentenceOf(error), { cause: error });
        }
      },
    };
  }

  /** @throws the answer of a storage that refuses, or why it cannot be reached */
  async probe(abortSignal: AbortSignal): Promise<void> {
    const one = new ListObjectsV2Command({ Bucket: this.bucket, Prefix: this.prefix, MaxKeys: 1 });
    await this.client.send(one, { abortSignal });
  }

  private object(name: string) {
    return { Bucket: this.bucket, Key: this.prefix + name };
  }
}

/** Names the storage's answer, or the code of the failed connection. The messages of the SDK and of Node are in the log. */
function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException)
    return `the storage answered ${error.$metadata.httpStatusCode ?? ''} ${error.name}`.replace('  ', ' ');
  const { code } = error as NodeJS.ErrnoException;
  return `the storage cannot be reached${code === undefined ? '' : ` (${code})`}`;
}

function sentenceOf(error: unknown): string {
  const reason = reasonOf(error);
  return `${reason[0]!.toUpperCase()}${reason.slice(1)}`;
}
