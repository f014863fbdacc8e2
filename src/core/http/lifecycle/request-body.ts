import type { IncomingMessage } from 'node:http';
import { onSlowBody } from '../hardening/slow-bodies';
import { ApiError } from './api-error';

/** The reason in the refusal of a request that exceeded a time limit. */
export const TOO_SLOW = 'the request took too long to arrive';

/** Whether a request announces a body. It may not have arrived yet. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the whole body. The rest of a refused body stays unread.
 * @throws ApiError INVALID_REQUEST as soon as the body is known to be too long, if it breaks off, or
 *   if it takes too long
 */
export function readBody(raw: IncomingMessage, limitKib: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const limitBytes = limitKib * 1_024;
    const limit = limitKib < 1_024 ? `${limitKib} KiB` : `${limitKib / 1_024} MiB`;
    const tooLarge = () => reject(ApiError.malformed(`the body is larger than ${limit}`));
    const brokeOff = () => reject(ApiError.malformed('the body ended early'));
    if (Number(raw.headers['content-length']) > limitBytes) return tooLarge();
    // A request whose client disconnected while the guards waited emits no further event.
    if (raw.destroyed) return brokeOff();
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limitBytes) end(tooLarge);
    };
    const onEnd = () => end(() => resolve(Buffer.concat(chunks, length)));
    const onError = () => end(brokeOff);
    const forget = onSlowBody(raw, () => end(() => reject(ApiError.malformed(TOO_SLOW))));
    const end = (settle: () => void) => {
      forget();
      raw.off('data', onData).off('end', onEnd).off('error', onError);
      settle();
    };
    raw.on('data', onData).on('end', onEnd).on('error', onError);
  });
}
