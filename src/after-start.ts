import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After the first requests of a load balancer or a page, in milliseconds. */
const DELAY_MS = 5_000;

/**
 * Writes the code that the start compiled to its cache, for the next one, and frees, once, what the start left behind. An idle process makes too little garbage for V8 to collect it, and would keep
 * some 80 MB for as long as nothing happens. The pause is about 0.2 s of one core.
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function collectStartGarbage(): void {
  setTimeout(() => {
    flushCompileCache();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as NodeJS.GCFunction;
    setFlagsFromString('--no-expose-gc');
    collect({ flavor: 'last-resort' });
  }, DELAY_MS).unref();
}
