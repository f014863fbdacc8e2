import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { newUuid, type Attachment, type AttachmentKind } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { INSERT_UPLOAD, toAttachment, type AttachmentRow } from './attachment.rows';
import { cleanFilename, kindOfFile } from './files/file-kind';
import { readUpload } from './files/read-upload';
import { MediaStore, QuotaError } from './storage/media-store.service';
import { FileTooLargeError, type SpooledFile } from './storage/spool';

/** Receives the files that clients upload. */
@Injectable()
export class Uploads {
  constructor(
    private readonly store: MediaStore,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @returns a function that makes the file an attachment; until then nothing refers to it */
  async receive({ environment }: Caller, { raw }: FastifyRequest): Promise<() => Promise<Attachment>> {
    const { file, filename } = await readUpload(raw, async (stream, name) => {
      const taken = await this.store.take(environment, stream).catch((error: unknown) => {
        throw refusalOf(error);
      });
      return { file: taken, filename: name };
    });
    if (file.sizeBytes === 0) throw ApiError.malformed('the file is empty');
    return () => this.insert(environment, file, filename);
  }

  /** Makes a file that the store has taken an attachment, which no message has yet. @param hint see `kindOfFile` */
  async insert(
    environment: Caller['environment'],
    { head, sizeBytes, sha256 }: SpooledFile,
    filename: string,
    hint?: AttachmentKind,
  ): Promise<Attachment> {
    const { kind, mimeType, size } = await kindOfFile(head, hint);
    const values = [newUuid(this.clock.now()), environment, kind, mimeType, sizeBytes, sha256, cleanFilename(filename)];
    const [row] = await this.database.query<AttachmentRow>(INSERT_UPLOAD, [
      ...values,
      size?.width ?? null,
      size?.height ?? null,
    ]);
    if (!row) throw new Error('the bytes of an upload are gone');
    return toAttachment(row);
  }
}

/** Error for a file that cannot be accepted. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof FileTooLargeError) return ApiError.malformed(error.message);
  if (error instanceof QuotaError) return ApiError.malformed(error.message);
  return error;
}
