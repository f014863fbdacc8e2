import { Injectable } from '@nestjs/common';
import { toPublicId, type Attachment, type Environment } from '#contracts';
import { Database } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import {
  ATTACHMENTS_OF_MESSAGES,
  FIND_ATTACHMENTS,
  IS_WORK_DUE,
  toAttachments,
  type AttachmentsColumn,
} from './message-attachments.rows';
import { MARK_UNREADABLE, READ_ATTACHMENT, toAttachment, UNREADABLE, type AttachmentRow } from './attachment.rows';

/** Reads attachments. */
@Injectable()
export class Attachments {
  constructor(private readonly database: Database) {}

  /** @returns the attachments of those messages that have any, by the messages' UUIDs */
  async ofMessages(ids: readonly string[]): Promise<Map<string, Attachment[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<{ id: string; attachments: AttachmentsColumn }>(ATTACHMENTS_OF_MESSAGES, [
      ids,
    ]);
    return new Map(rows.map(({ id, attachments }) => [id, toAttachments(attachments)]));
  }

  /** Whether a file of these messages is still being downloaded or transcribed. */
  async areArriving(messageIds: readonly string[]): Promise<boolean> {
    return messageIds.length > 0 && (await this.database.query(IS_WORK_DUE, [messageIds])).length > 0;
  }

  /** Finds attachments of an environment by their UUIDs. */
  async find(environment: Environment, ids: readonly string[]): Promise<Map<string, Attachment>> {
    const rows = await this.database.query<AttachmentRow>(FIND_ATTACHMENTS, [environment, ids]);
    return new Map(rows.map((row) => [row.id, toAttachment(row)]));
  }

  /** @returns those of the attachments whose files the AI provider refused, by their UUIDs */
  async unreadable(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database.query<{ id: string }>(UNREADABLE, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** @param ids UUIDs */
  async markUnreadable(ids: readonly string[]): Promise<void> {
    await this.database.query(MARK_UNREADABLE, [ids]);
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async read(environment: Environment, id: string): Promise<Attachment> {
    const [row] = await this.database.query<AttachmentRow>(READ_ATTACHMENT, [id, environment]);
    if (!row) throw ApiError.notFound('attachment', toPublicId('attachment', id));
    return toAttachment(row);
  }
}
