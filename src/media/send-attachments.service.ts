import { Injectable } from '@nestjs/common';
import { fromPublicId, type Attachment, type Environment } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Attachments } from './attachments.service';
import type { AttachmentToSendDto } from './dto/attachment-to-send.dto';
import { QuotaError } from './storage/media-store.service';
import { refusalOf, Uploads } from './uploads.service';
import { UrlFileError, UrlFiles } from './url-files.service';

/** The attachments of a send, or why one of them could not be fetched: then the send fails. */
export type ResolvedAttachments = { attachments: Attachment[] } | { failure: string };

/** Finds or fetches the files that a send names in `attachments`. */
@Injectable()
export class SendAttachments {
  constructor(
    private readonly attachments: Attachments,
    private readonly uploads: Uploads,
    private readonly urls: UrlFiles,
  ) {}

  /** @param named at least one. @throws ApiError INVALID_PARAMETER for an id of no attachment of the environment; INVALID_REQUEST above the quota */
  async resolve(environment: Environment, named: readonly AttachmentToSendDto[]): Promise<ResolvedAttachments> {
    const known = await this.known(environment, named);
    for (const [index, { url }] of named.entries()) {
      const fault = url === undefined ? undefined : await this.urls.faultOf(url);
      if (fault !== undefined) throw ApiError.invalidParameter(`attachments[${index}].url`, fault, url);
    }
    const attachments: Attachment[] = [];
    for (const [index, item] of named.entries()) {
      try {
        attachments.push(item.url === undefined ? known.get(item.id!)! : await this.fetch(environment, item, item.url));
      } catch (error) {
        if (error instanceof QuotaError) throw refusalOf(error);
        if (!(error instanceof UrlFileError)) throw error;
        return { failure: `The file of attachments[${index}].url could not be fetched: ${error.message}.` };
      }
    }
    return { attachments };
  }

  /** The attachments that the send names by id, by their ids. */
  private async known(
    environment: Environment,
    named: readonly AttachmentToSendDto[],
  ): Promise<Map<string, Attachment>> {
    const faultAt = (index: number, reason: string, value?: string) =>
      ApiError.invalidParameter(`attachments[${index}]${value === undefined ? '' : '.id'}`, reason, value);
    for (const [index, { id, url }] of named.entries()) {
      if ((id === undefined) === (url === undefined)) throw faultAt(index, 'must have either id or url');
    }
    const ids = named.flatMap(({ id }) => (id === undefined ? [] : [fromPublicId('attachment', id)!]));
    const found = ids.length === 0 ? new Map<string, Attachment>() : await this.attachments.find(environment, ids);
    for (const [index, { id }] of named.entries()) {
      if (id === undefined) continue;
      const attachment = found.get(fromPublicId('attachment', id)!);
      if (attachment?.status !== 'stored' || attachment.sha256 === null)
        throw faultAt(index, 'must be the id of a stored attachment', id);
    }
    return new Map([...found.values()].map((attachment) => [attachment.id, attachment]));
  }

  private async fetch(environment: Environment, item: AttachmentToSendDto, url: string): Promise<Attachment> {
    const { file, filename } = await this.urls.fetch(environment, url);
    const hint = item.kind === 'document' ? 'document' : undefined;
    return this.uploads.insert(environment, file, item.filename ?? filename, hint);
  }
}
