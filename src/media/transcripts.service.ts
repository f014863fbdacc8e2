import { Injectable, Logger } from '@nestjs/common';
import { cutText, sanitizeText, type AttachmentKind } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { Database } from '../core/database/database.service';
import { ExternalError } from '../core/work/monitor/own-fault';
import type { DueRow } from '../core/work/due.rows';
import { FINISH_TRANSCRIPT, type DueAttachment } from './message-attachments.rows';
import { MediaStore } from './storage/media-store.service';

const TIMEOUT_MS = 120_000;
/** A service that fails this often is not there, or does not know the format; the person waits for an answer meanwhile. */
const ATTEMPTS = 4;
/** OpenAI takes 25 MB; a file is in memory while it is sent. */
const MAX_BYTES = 25 * 1_024 * 1_024;

/** Has voice messages and sounds transcribed by a service with the API of OpenAI's `/v1/audio/transcriptions`. */
@Injectable()
export class Transcripts {
  private readonly logger = new Logger(Transcripts.name);
  private readonly service: Configuration['transcription'];

  constructor(
    { transcription }: Configuration,
    private readonly store: MediaStore,
    private readonly database: Database,
  ) {
    this.service = transcription;
  }

  /** Whether a stored file of this kind gets a transcript. */
  isFor(kind: AttachmentKind): boolean {
    return this.service.url !== undefined && (kind === 'voice' || kind === 'audio');
  }

  async write(row: DueAttachment & DueRow, signal: AbortSignal): Promise<void> {
    const { id, fence, sha256, size_bytes } = row;
    let text: string | null = null;
    if (this.service.url !== undefined && sha256 !== null && (size_bytes ?? 0) <= MAX_BYTES) {
      try {
        text = cutText(sanitizeText(await this.ask(this.service.url, row, signal)));
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        this.logger.warn(`The transcript of attachment ${id} could not be made: ${reason}`);
        if (row.attempts < ATTEMPTS && !(error instanceof RefusedError)) throw new ExternalError(reason);
      }
    }
    await this.database.query(FINISH_TRANSCRIPT, [id, fence, text]);
  }

  private async ask(url: string, row: DueAttachment, signal: AbortSignal): Promise<string> {
    const { apiKey, model } = this.service;
    const bytes = await this.store.read(row.environment, row.sha256!);
    const form = new FormData();
    const pieces = (await bytes.toArray()) as Uint8Array<ArrayBuffer>[];
    form.append('file', new Blob(pieces, { type: row.mime_type ?? '' }), row.filename ?? nameOf(row.mime_type));
    form.append('model', model);
    form.append('response_format', 'json');
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
      body: form,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const message = `the transcription service answered ${response.status}`;
      const isTransient = response.status >= 500 || response.status === 429;
      throw isTransient ? new Error(message) : new RefusedError(message);
    }
    const { text } = (await response.json()) as { text?: unknown };
    if (typeof text !== 'string') throw new RefusedError('the transcription service answered without a text');
    return text;
  }
}

/** The service refuses this file: a retry does not help. */
class RefusedError extends Error {}

/** Services recognise the format by the file extension. */
function nameOf(mimeType: string | null): string {
  const [, type = 'bin'] = (mimeType ?? '').split('/');
  return `audio.${type === 'mpeg' ? 'mp3' : type.replace(/^x-/, '')}`;
}
