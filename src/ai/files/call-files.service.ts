import { Injectable, Logger } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Semaphore } from '#http-client';
import { Configuration } from '../../core/config/configuration';
import { Attachments } from '../../media/attachments.service';
import { MediaStore } from '../../media/storage/media-store.service';
import { abortError } from '../provider/ai-provider.error';
import type { AiFile, AiRequest } from '../provider/ai-provider.port';
import { base64Pieces } from './base64-pieces';
import { withoutFiles } from './lighter-request';

/** A call waits this long for its share of the allowance, in milliseconds. Then it goes without files. */
const SHARE_WAIT_MS = 20_000;

export interface OpenedRequest {
  /** Its files have their bytes. */
  request: AiRequest;
  /** Gives the share of the allowance back at the end of the call. */
  close: () => void;
}

/**
 * Reads the files of calls when they begin. The files of all calls under way share one allowance of bytes (`AI_FILES_BYTES`): a
 * call holds its files until its end, and a few dozen calls with pictures would fill the memory.
 */
@Injectable()
export class CallFiles {
  private readonly logger = new Logger(CallFiles.name);
  private readonly allowance: Semaphore;

  constructor(
    { ai }: Configuration,
    private readonly store: MediaStore,
    private readonly attachments: Attachments,
  ) {
    this.allowance = new Semaphore(ai.filesBytes);
  }

  /** @throws AiProviderError `aborted` if the caller leaves */
  async open(environment: Environment, request: AiRequest, signal?: AbortSignal): Promise<OpenedRequest> {
    const bytes = filesOf(request).reduce((sum, { sizeBytes }) => sum + base64Length(sizeBytes), 0);
    if (bytes === 0) return { request, close: () => undefined };
    const startedAt = performance.now();
    const close = await this.share(bytes, signal);
    const waitedMs = (request.waitedMs ?? 0) + performance.now() - startedAt;
    if (!close) return { request: { ...withoutFiles(request), waitedMs }, close: () => undefined };
    try {
      const data = await this.read(environment, filesOf(request));
      signal?.throwIfAborted();
      // The bytes of some may have been removed meanwhile.
      const there = withoutFiles(request, (file) => !data.has(file));
      const messages = there.messages.map(({ files, ...message }) =>
        files ? { ...message, files: files.map((file) => ({ ...file, data: data.get(file) })) } : message,
      );
      return { request: { ...there, messages, waitedMs }, close };
    } catch (error) {
      close();
      throw signal?.aborted ? abortError(signal) : error;
    }
  }

  /** Remembers files that the provider refused, so that later calls only name them. Never rejects. */
  async remember(files: readonly AiFile[]): Promise<void> {
    try {
      await this.attachments.markUnreadable(files.map(({ attachmentId }) => attachmentId));
    } catch (error) {
      this.logger.warn({ err: error }, 'A file that the AI provider rejected could not be recorded');
    }
  }

  /** Undefined if other calls hold the allowance for too long. */
  private async share(bytes: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined> {
    const timeout = AbortSignal.timeout(SHARE_WAIT_MS);
    try {
      return await this.allowance.take(bytes, signal ? AbortSignal.any([signal, timeout]) : timeout);
    } catch {
      if (signal?.aborted) throw abortError(signal);
      return undefined;
    }
  }

  private async read(environment: Environment, files: readonly AiFile[]): Promise<Map<AiFile, readonly Buffer[]>> {
    const data = new Map<AiFile, readonly Buffer[]>();
    for (const file of files) {
      try {
        data.set(file, await base64Pieces(await this.store.read(environment, file.sha256)));
      } catch {
        // The bytes have been removed, or the storage is unavailable. The person gets an answer anyway.
      }
    }
    return data;
  }
}

function filesOf({ messages }: AiRequest): AiFile[] {
  return messages.flatMap(({ files = [] }) => files);
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
