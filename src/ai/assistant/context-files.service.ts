import { Injectable } from '@nestjs/common';
import { fromPublicId, type Attachment, type Direction, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { AiMediaSettingsDto } from '../../core/settings/settings.dto';
import { SettingsService } from '../../core/settings/settings.service';
import { Attachments } from '../../media/attachments.service';
import type { AiFile, AiMessage } from '../provider/ai-provider.port';
import { unreadableFile } from '../files/lighter-request';

/** A reply waits this long for the files of the messages that it answers, in milliseconds. */
const FILE_WAIT_MS = 20_000;
/** Image types that the provider accepts: https://platform.claude.com/docs/en/build-with-claude/vision */
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** The provider accepts 5 MB of base64 per image. */
const MAX_IMAGE_BYTES = 3_750_000;
/** The provider accepts images of up to 8,000 pixels a side. */
const MAX_SIDE = 8_000;
/** Limit for all files together: a request may have 32 MB, as base64. */
const MAX_BYTES = 20_000_000;
/** The provider counts a token for each 750 pixels of an image, and scales large images down. */
const PIXELS_PER_TOKEN = 750;
const MAX_IMAGE_TOKENS = 5_000;
/** The provider refuses longer PDFs, and reads each page as text and as an image. */
const MAX_PAGES = 100;
const PAGE_TOKENS = 5_000;

export interface ContextMessage {
  direction: Direction;
  content: string;
  attachments: readonly Attachment[];
}

/** `ai.media` */
export type MediaLimits = Pick<AiMediaSettingsDto, 'images' | 'documents'>;

/** The remaining allowance of the files of one context. */
interface Allowance {
  images: number;
  documents: number;
  bytes: number;
  /** UUIDs of attachments that the provider refused earlier. */
  unreadable: ReadonlySet<string>;
}

/** Gives the files that people send to the model: images and PDFs as they are, transcripts as text, and only the names of other files. */
@Injectable()
export class ContextFiles {
  constructor(
    private readonly attachments: Attachments,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /** Whether a message has waited less than `FILE_WAIT_MS` for a file that is still being downloaded or transcribed. */
  areAwaited(messages: readonly { id: string; created_at: Date }[]): Promise<boolean> {
    const since = this.clock.now() - FILE_WAIT_MS;
    const waiting = messages.filter((message) => message.created_at.getTime() >= since);
    return this.attachments.areArriving(waiting.map(({ id }) => id));
  }

  /** @param messages oldest first; the newest files are read first, within the limits */
  async messages(
    environment: Environment,
    messages: readonly ContextMessage[],
    { images, documents }: MediaLimits = this.settings.of(environment).ai.media,
  ): Promise<AiMessage[]> {
    const stored = messages.flatMap(({ attachments }) => attachments.map(uuidOf));
    const unreadable = await this.attachments.unreadable(stored);
    const allowance = { images, documents, bytes: MAX_BYTES, unreadable };
    const result: AiMessage[] = [];
    for (const message of messages.toReversed()) result.unshift(messageOf(message, allowance));
    return result;
  }
}

function messageOf({ direction, content, attachments }: ContextMessage, allowance: Allowance): AiMessage {
  const role = direction === 'inbound' ? 'user' : 'assistant';
  if (attachments.length === 0) return { role, content };
  const files: AiFile[] = [];
  const lines = content.trim() === '' ? [] : [content];
  for (const attachment of attachments) {
    if (attachment.transcript !== null) {
      lines.push(`[transcript of a ${attachment.kind} message] ${attachment.transcript}`);
      continue;
    }
    if (attachment.kind === 'location' || attachment.kind === 'contact') continue;
    // Messages of the assistant cannot contain files: the context only names a file that it sent.
    const file = role === 'user' ? fileOf(attachment, allowance) : undefined;
    if (file) files.push(file);
    else lines.push(role === 'user' ? unreadableFile(nameOf(attachment)) : `[a file: ${nameOf(attachment)}]`);
  }
  return { role, content: lines.join('\n'), files };
}

/** @returns undefined if the model cannot read it, or the allowance is used up */
function fileOf(attachment: Attachment, allowance: Allowance): AiFile | undefined {
  const { status, sha256, size_bytes: sizeBytes, mime_type: mediaType, width, height } = attachment;
  if (status !== 'stored' || sha256 === null || sizeBytes === null || sizeBytes > allowance.bytes) return undefined;
  const stored = { attachmentId: uuidOf(attachment), sha256, sizeBytes, name: nameOf(attachment) };
  if (allowance.unreadable.has(stored.attachmentId)) return undefined;
  if (mediaType !== null && IMAGES.has(mediaType)) {
    if (allowance.images === 0 || sizeBytes > MAX_IMAGE_BYTES || Math.max(width ?? 0, height ?? 0) > MAX_SIDE)
      return undefined;
    allowance.images -= 1;
    allowance.bytes -= sizeBytes;
    const pixels = width && height ? width * height : Infinity;
    const tokens = Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN));
    return { type: 'image', mediaType, tokens, ...stored };
  }
  if (mediaType !== 'application/pdf' || allowance.documents === 0) return undefined;
  allowance.documents -= 1;
  allowance.bytes -= sizeBytes;
  // Only the provider counts the pages: counting them here would be work on a stranger's file.
  const tokens = Math.min(MAX_PAGES * PAGE_TOKENS, sizeBytes);
  return { type: 'document', mediaType, tokens, title: attachment.filename ?? attachment.kind, ...stored };
}

function uuidOf({ id }: Attachment): string {
  return fromPublicId('attachment', id)!;
}

function nameOf({ filename, kind, mime_type, status, reason }: Attachment): string {
  const name = filename ?? kind;
  const type = mime_type === null ? '' : ` (${mime_type})`;
  return status === 'stored' ? `${name}${type}` : `${name}${type}, ${status}${reason === null ? '' : `: ${reason}`}`;
}
