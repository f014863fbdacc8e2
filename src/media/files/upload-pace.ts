import type { IncomingMessage } from 'node:http';
import { repeat } from '../../core/clock/repeat';

const PERIOD_MS = 10_000;
/** 16 KiB/s: the least that must arrive in a period, in bytes. */
const LEAST_BYTES = 163_840;

/**
 * Calls `refuse` if a body arrives more slowly than 16 KiB/s over ten seconds. A period in which the body was paused does not
 * count: then the gateway is slow to write, not the client.
 * @returns a function that stops this
 */
export function watchPace(body: IncomingMessage, refuse: () => void): () => void {
  let bytes = 0;
  let wasPaused = false;
  const count = (chunk: Buffer) => (bytes += chunk.length);
  const paused = () => (wasPaused = true);
  const check = () => {
    if (bytes < LEAST_BYTES && !wasPaused && !body.complete) refuse();
    bytes = 0;
    wasPaused = body.isPaused();
  };
  body.on('data', count).on('pause', paused);
  const end = repeat(PERIOD_MS, check);
  return () => {
    end();
    body.off('data', count).off('pause', paused);
  };
}
