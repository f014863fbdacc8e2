import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After the first requests of a load balancer or a page, in milliseconds. */
const DELAY_MS = 5_000;

/**
 * Runs once after the start: writes the compiled code to the cache for the next start, then collects the start's garbage. An
 * idle process makes too little garbage for V8 to collect it, and would keep some 80 MB. In this order, because a collection
 * drops compiled code. The pause is about 0.2 s of one core.
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function settleAfterStart(): void {
  setTimeout(() => {
    flushCompileCache();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as NodeJS.GCFunction;
    setFlagsFromString('--no-expose-gc');
    collect({ flavor: 'last-resort' });
  }, DELAY_MS).unref();
}
