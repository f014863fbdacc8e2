import { Injectable } from '@nestjs/common';
import { toPublicId, type Attachment, type Environment } from '#contracts';
import { Database } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { READ_ATTACHMENT, toAttachment, type AttachmentRow } from './attachment.rows';

/** Reads attachments. */
@Injectable()
export class Attachments {
  constructor(private readonly database: Database) {}

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async read(environment: Environment, id: string): Promise<Attachment> {
    const [row] = await this.database.query<AttachmentRow>(READ_ATTACHMENT, [id, environment]);
    if (!row) throw ApiError.notFound('attachment', toPublicId('attachment', id));
    return toAttachment(row);
  }
}
