import { Injectable } from '@nestjs/common';
import { fromPublicId, sendFailure, type Attachment, type Environment, type SendFailure } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { Attachments } from './attachments.service';
import type { AttachmentToSendDto } from './dto/attachment-to-send.dto';
import { cleanFilename, hinted } from './files/file-kind';
import { QuotaError } from './storage/arriving-files';
import { MediaStore, type TakenFile } from './storage/media-store.service';
import { refusalOf, Uploads } from './uploads.service';
import { UrlFileError, UrlFiles } from './url-files.service';

interface Fetched {
  attachment: Attachment;
  file: TakenFile;
}

/** The attachments of a send, or why one of them was not fetched: then the send fails. */
export type ResolvedAttachments = { attachments: Attachment[]; fetched: readonly Fetched[] } | { failure: SendFailure };

/** Finds or fetches the files that a send names in `attachments`. */
@Injectable()
export class SendAttachments {
  constructor(
    private readonly attachments: Attachments,
    private readonly uploads: Uploads,
    private readonly urls: UrlFiles,
    private readonly store: MediaStore,
  ) {}

  /**
   * @param refusal called before the first file is fetched; returns why the send would certainly fail
   * @throws ApiError INVALID_PARAMETER for an id of no attachment of the environment; INVALID_REQUEST above the quota
   */
  async resolve(
    caller: Caller,
    named: readonly AttachmentToSendDto[],
    refusal?: () => Promise<SendFailure | undefined>,
  ): Promise<ResolvedAttachments> {
    const known = await this.known(caller.environment, named);
    for (const [index, { url }] of named.entries()) {
      const fault = url === undefined ? undefined : await this.urls.faultOf(url);
      if (fault !== undefined) throw ApiError.invalidParameter(`attachments[${index}].url`, fault, url);
    }
    const failure = named.some(({ url }) => url !== undefined) ? await refusal?.() : undefined;
    if (failure) return { failure };
    const attachments: Attachment[] = [];
    const fetched: Fetched[] = [];
    for (const [index, item] of named.entries()) {
      try {
        if (item.url !== undefined) fetched.push(await this.fetch(caller, item, item.url));
        attachments.push(
          item.url === undefined
            ? await this.withHints(caller.environment, item, known.get(item.id!)!)
            : fetched.at(-1)!.attachment,
        );
      } catch (error) {
        await this.discard(fetched);
        if (error instanceof QuotaError) throw refusalOf(error);
        if (!(error instanceof UrlFileError)) throw error;
        const message = `The file of attachments[${index}].url could not be fetched: ${error.message}.`;
        return { failure: { ...sendFailure('attachment_unavailable'), message } };
      }
    }
    return { attachments, fetched };
  }

  /** Removes the files that were fetched for a send, unless a message has them. */
  async discard(fetched: readonly Fetched[]): Promise<void> {
    if (fetched.length === 0) return;
    const ids = fetched.map(({ attachment }) => fromPublicId('attachment', attachment.id)!);
    const digests = fetched.flatMap(({ file }) => (file.isNew ? [file.sha256] : []));
    await this.store.discard(ids, digests);
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

  /** A stored attachment with the kind and the name that the send asks for. */
  private async withHints(
    environment: Environment,
    item: AttachmentToSendDto,
    stored: Attachment,
  ): Promise<Attachment> {
    const kind = hinted(stored.kind, hintOf(item));
    const filename = cleanFilename(item.filename) ?? stored.filename;
    const isAsStored = kind === stored.kind && filename === stored.filename;
    return isAsStored ? stored : this.uploads.copy(environment, { ...stored, kind, filename });
  }

  private async fetch(caller: Caller, item: AttachmentToSendDto, url: string): Promise<Fetched> {
    const { file, filename } = await this.urls.fetch(caller, url);
    const attachment = await this.uploads.insert(caller.environment, file, item.filename ?? filename, hintOf(item));
    return { attachment, file };
  }
}

/** A client may ask for a document; the bytes decide about all other kinds. */
function hintOf({ kind }: AttachmentToSendDto): 'document' | undefined {
  return kind === 'document' ? kind : undefined;
}
