import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { Attachments } from '../attachments.service';
import { rangeOf } from '../files/byte-range';
import { contentDisposition, servedTypeOf } from '../files/file-kind';
import { MediaStore } from '../storage/media-store.service';
import { MissingMediaError } from '../storage/media-storage.port';
import { OpenDownloads } from './open-downloads.service';

/** A client that reads nothing of a file for this long is disconnected, in milliseconds. */
const UNREAD_MS = 30_000;

/** A file must not run, render or load anything from our origin, whatever type a browser thinks it has. */
const HEADERS = {
  'accept-ranges': 'bytes',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

/** Sends the bytes of attachments. */
@Injectable()
export class Content {
  constructor(
    private readonly attachments: Attachments,
    private readonly store: MediaStore,
    private readonly downloads: OpenDownloads,
  ) {}

  /** @throws ApiError RESOURCE_NOT_FOUND for one whose bytes are not stored */
  async send(environment: Environment, id: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers, raw } = request;
    const {
      status,
      sha256,
      size_bytes,
      mime_type,
      filename,
      id: publicId,
    } = await this.attachments.read(environment, id);
    if (status !== 'stored' || sha256 === null || size_bytes === null) throw notStored(publicId);
    const etag = `"${sha256}"`;
    reply.headers({ ...HEADERS, etag, 'content-disposition': contentDisposition(filename) });
    if (matches(headers['if-none-match'], etag)) {
      await reply.status(304).send();
      return;
    }
    const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag;
    const range = isCurrent ? rangeOf(headers.range, size_bytes) : undefined;
    const stream = await this.store.read(environment, sha256, range).catch((error: unknown) => {
      if (error instanceof MissingMediaError) throw notStored(publicId);
      throw error;
    });
    if (range) reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${size_bytes}`);
    reply.header('content-length', range ? range.end - range.start + 1 : size_bytes);
    const { socket } = raw;
    socket.setTimeout(UNREAD_MS);
    reply.raw.once('finish', () => socket.setTimeout(0));
    this.downloads.add(request, reply.raw, id);
    await reply.type(servedTypeOf(mime_type)).send(stream);
  }
}

function notStored(id: string): ApiError {
  return ApiError.notFound('content of attachment', id);
}

/** RFC 9110, 13.1.2: weak comparison with any of a list. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
