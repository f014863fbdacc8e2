import { createReadStream } from 'node:fs';
import { DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

/** A part of an upload, in bytes: S3 takes at most 10,000 parts, so a backup may have 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;

/** S3-compatible storage. */
export class ObjectStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  /** @param url `https://ACCESS_KEY:SECRET@host/bucket/prefix?region=eu-central-1` */
  constructor(url: URL) {
    const [bucket = '', ...prefix] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
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
    const params = { Bucket: this.bucket, Key: this.prefix + name, Body: createReadStream(path) };
    const upload = new Upload({ client: this.client, params, partSize, queueSize: 1 });
    const abort = (): void => void upload.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await upload.done();
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`The copy to BACKUP_S3_URL failed: ${message}`, { cause: error });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async remove(name: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: this.prefix + name }));
  }

  /** @throws the answer of a storage that refuses, or why it cannot be reached */
  async probe(abortSignal: AbortSignal): Promise<void> {
    const one = new ListObjectsV2Command({ Bucket: this.bucket, Prefix: this.prefix, MaxKeys: 1 });
    await this.client.send(one, { abortSignal });
  }
}
