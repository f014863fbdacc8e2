import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Environment } from '#contracts';
import { S3Bucket } from '../../core/object-storage/s3-bucket';
import { MissingMediaError, type ByteRange, type MediaStorage } from './media-storage.port';

/** A part of an upload, in bytes: one is in memory at a time. S3 takes at most 10,000 parts. */
const PART_BYTES = 8 * 1_024 * 1_024;

/** S3-compatible storage: the object `live/9f/9f86d0…` under the prefix of MEDIA_S3_URL. */
export class S3Storage implements MediaStorage {
  private readonly storage: S3Bucket;

  constructor(url: URL) {
    this.storage = new S3Bucket(url);
  }

  get place(): string {
    return this.storage.address;
  }

  async keep(environment: Environment, sha256: string, path: string): Promise<void> {
    const bytes = createReadStream(path);
    bytes.on('error', () => undefined); // the upload reports it, if it still reads
    const params = { ...this.object(environment, sha256), Body: bytes };
    try {
      await new Upload({ client: this.storage.client, params, partSize: PART_BYTES, queueSize: 1 }).done();
    } finally {
      bytes.destroy();
    }
    await rm(path, { force: true });
  }

  async open(environment: Environment, sha256: string, range?: ByteRange): Promise<Readable> {
    const bytes = range && { Range: `bytes=${range.start}-${range.end}` };
    try {
      const command = new GetObjectCommand({ ...this.object(environment, sha256), ...bytes });
      const { Body } = await this.storage.client.send(command);
      return Body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) throw new MissingMediaError(sha256, { cause: error });
      throw error;
    }
  }

  async remove(environment: Environment, sha256: string): Promise<void> {
    await this.storage.client.send(new DeleteObjectCommand(this.object(environment, sha256)));
  }

  private object(environment: Environment, sha256: string) {
    return this.storage.object(`${environment}/${sha256.slice(0, 2)}/${sha256}`);
  }
}
