import { repeat } from '../../../core/clock/repeat';

/** How often it looks whether the gateway has other work, in milliseconds. */
const LOOK_MS = 100;
/** From this share of that time on, the event loop has other work. */
const BUSY = 0.25;

/** @param tell is called when this process begins or ends to be busy @returns what stops it */
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
