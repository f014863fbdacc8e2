import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { fromPublicId, newUuid, type Attachment, type AttachmentKind, type Environment } from '#contracts';
import { Siblings } from '../core/cluster/siblings.service';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import { ApiError, RateLimitError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { INSERT_COPY, INSERT_UPLOAD, toAttachment, type AttachmentRow } from './attachment.rows';
import { cleanFilename, kindOfFile } from './files/file-kind';
import { readUpload } from './files/read-upload';
import { QuotaError } from './storage/arriving-files';
import { MediaStore } from './storage/media-store.service';
import { FileTooLargeError, type SpooledFile } from './storage/spool';

interface Limit {
  most: number;
  of: string;
}

/** Uploads under way on one instance. Each may hold `media.max_bytes` of the disk until it ends. */
export const UPLOADS_OF_KEY = 4;
export const UPLOADS_OF_ENVIRONMENT = 16;
const LIMITS = {
  key: { most: UPLOADS_OF_KEY, of: 'A key' },
  environment: { most: UPLOADS_OF_ENVIRONMENT, of: 'The keys of an environment' },
} as const satisfies Record<string, Limit>;
/** After how many seconds a client with too many uploads may try again. */
const RETRY_AFTER_SECONDS = 1;

/** Receives the files that clients upload. */
@Injectable()
export class Uploads {
  constructor(
    private readonly store: MediaStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly siblings: Siblings,
  ) {}

  /**
   * @returns a function that makes the file an attachment; until then nothing refers to it
   * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER; RATE_LIMIT_EXCEEDED above the limits of uploads at a time
   */
  async receive({ environment, keyId }: Caller, { raw }: FastifyRequest): Promise<() => Promise<Attachment>> {
    const { file, filename } = await counted(this.siblings, `uploads:${keyId}`, LIMITS.key, () =>
      counted(this.siblings, `uploads:${environment}`, LIMITS.environment, () => this.read(environment, raw)),
    );
    if (file.sizeBytes === 0) throw ApiError.malformed('the file is empty');
    return () => this.insert(environment, file, filename);
  }

  private read(environment: Environment, raw: FastifyRequest['raw']) {
    return readUpload(raw, async (stream, filename) => {
      const file = await this.store.take(environment, stream).catch((error: unknown) => {
        throw refusalOf(error);
      });
      return { file, filename };
    });
  }

  /** Makes an attachment with the bytes of a stored one, and a kind and name of its own. */
  async copy(environment: Environment, { id, kind, filename }: Attachment): Promise<Attachment> {
    const values = [newUuid(this.clock.now()), environment, fromPublicId('attachment', id), kind, filename];
    const [row] = await this.database.query<AttachmentRow>(INSERT_COPY, values);
    if (!row) throw ApiError.malformed('an attachment was removed meanwhile');
    return toAttachment(row);
  }

  /** Makes a file that the store has taken an attachment, which no message has yet. @param hint see `kindOfFile` */
  async insert(
    environment: Environment,
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

/** Counts an upload until it ends. @throws RateLimitError */
async function counted<T>(siblings: Siblings, name: string, limit: Limit, upload: () => Promise<T>): Promise<T> {
  try {
    if ((await siblings.add(name, 1)) > limit.most) throw tooMany(limit);
    return await upload();
  } finally {
    await siblings.add(name, -1);
  }
}

function tooMany({ most, of }: Limit): RateLimitError {
  const details = { limit: most, window_seconds: RETRY_AFTER_SECONDS, retry_after_seconds: RETRY_AFTER_SECONDS };
  return new RateLimitError('uploads', details, `${of} may upload at most ${most} files at a time.`);
}

/** Error for a file that cannot be accepted. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof FileTooLargeError) return ApiError.malformed(error.message);
  if (error instanceof QuotaError) return ApiError.malformed(error.message);
  return error;
}
