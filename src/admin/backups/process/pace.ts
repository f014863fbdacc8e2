import { repeat } from '../../../core/clock/repeat';

/** How often it measures the gateway's other work, in milliseconds. */
const LOOK_MS = 100;
/** Event loop utilisation above which the gateway is busy, as a share. */
const BUSY = 0.25;

/** @param tell called when this process becomes busy or idle @returns a function that stops the watch */
export function watchPace(tell: (busy: boolean) => void): () => void {
  let last = performance.eventLoopUtilization();
  let wasBusy = false;
  return repeat(LOOK_MS, () => {
    const now = performance.eventLoopUtilization();
    const busy = performance.eventLoopUtilization(now, last).utilization > BUSY;
    last = now;
    if (busy !== wasBusy) tell(busy);
    wasBusy = busy;
  });
}
