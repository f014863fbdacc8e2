import { Injectable } from '@nestjs/common';
import { cutText, sanitizeText, type AttachmentKind } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { Database } from '../core/database/database.service';
import type { DueRow } from '../core/work/due.rows';
import { FINISH_TRANSCRIPT, type DueAttachment } from './message-attachments.rows';
import { MediaStore } from './storage/media-store.service';

/** The kind of due work that makes transcripts. */
export const TRANSCRIPTS = 'transcripts';
const TIMEOUT_MS = 120_000;
/** OpenAI takes 25 MB; a file is in memory while it is sent. */
const MAX_BYTES = 25 * 1_024 * 1_024;

export interface Transcript {
  text: string;
  /** The length that the service bills, if it reports one. */
  seconds: number | undefined;
}

/** The service made no transcript. */
export class TranscriptError extends Error {
  /**
   * @param isFinal the service refuses this file: a retry does not help
   * @param isBilled the service has probably done the work
   */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly isBilled: boolean,
  ) {
    super(message);
  }
}

/** Has voice messages and sounds transcribed by a service with the API of OpenAI's `/v1/audio/transcriptions`. */
@Injectable()
export class Transcripts {
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

  /** Whether the service takes this file. */
  takes({ sha256, size_bytes }: DueAttachment): boolean {
    return this.service.url !== undefined && sha256 !== null && (size_bytes ?? 0) <= MAX_BYTES;
  }

  /** @param row that the service takes. @throws TranscriptError; another error if the file cannot be read, or at an abort */
  async make(row: DueAttachment, signal: AbortSignal): Promise<Transcript> {
    const { url, apiKey, model } = this.service;
    const bytes = await this.store.read(row.environment, row.sha256!);
    const form = new FormData();
    const pieces = (await bytes.toArray()) as Uint8Array<ArrayBuffer>[];
    form.append('file', new Blob(pieces, { type: row.mime_type ?? '' }), row.filename ?? nameOf(row.mime_type));
    form.append('model', model);
    form.append('response_format', 'json');
    try {
      const response = await fetch(url!, {
        method: 'POST',
        headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
        body: form,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        const isFinal = response.status < 500 && response.status !== 429;
        throw new TranscriptError(`the transcription service answered ${response.status}`, isFinal, false);
      }
      return transcriptOf(await response.json());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TranscriptError) throw error;
      const { name, message } = error as Error;
      throw new TranscriptError(message, false, name === 'TimeoutError');
    }
  }

  /** Ends the work with a transcript, or without one. */
  async finish({ id, fence }: DueAttachment & DueRow, text: string | null): Promise<void> {
    await this.database.query(FINISH_TRANSCRIPT, [id, fence, text]);
  }
}

function transcriptOf(answer: unknown): Transcript {
  const { text, usage } = (answer ?? {}) as { text?: unknown; usage?: { seconds?: unknown } | null };
  if (typeof text !== 'string')
    throw new TranscriptError('the transcription service answered without a text', true, true);
  // https://platform.openai.com/docs/api-reference/audio/json-object: services that bill by tokens report no seconds.
  const seconds = usage?.seconds;
  const isReported = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return { text: cutText(sanitizeText(text)), seconds: isReported ? seconds : undefined };
}

/** Services recognise the format by the file extension. */
function nameOf(mimeType: string | null): string {
  const [, type = 'bin'] = (mimeType ?? '').split('/');
  return `audio.${type === 'mpeg' ? 'mp3' : type.replace(/^x-/, '')}`;
}
