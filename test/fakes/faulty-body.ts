import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from './fault-queue';

/** Writes an answer with a `cut`, `drip` or `truncate` fault. */
export async function writeFaulty(
  response: ServerResponse,
  kind: FaultKind,
  status: number,
  body: Buffer,
  gone: AbortSignal,
): Promise<void> {
  const half = body.subarray(0, body.length / 2);
  const announced = kind === 'truncate' ? half.length : body.length;
  response.writeHead(status, { 'content-length': String(announced) });
  if (kind === 'truncate') return void response.end(half);
  if (kind === 'cut') return void response.write(half, () => response.destroy());
  for (let at = 0; at < body.length && !gone.aborted; at += 1) {
    response.write(body.subarray(at, at + 1));
    await sleep(20, undefined, { signal: gone });
  }
  response.end();
}
