import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PROJECT_ROOT } from './core/project-root';

const BUNDLE = join(PROJECT_ROOT, 'dist/bundle');

/**
 * Call it before any other module loads: V8 accepts cached code only under the flags with which it was compiled. The
 * compiled code is kept beside the bundle (ADR 71), if the folder is writable. For the 2,300 files of an unbundled start a
 * cache would save no time.
 */
export function prepareProcess(): void {
  // V8 would allocate objects of requests in the old space once many of them were promoted (ADR 29).
  setFlagsFromString('--no-allocation-site-pretenuring');
  if (__dirname === BUNDLE) enableCompileCache(join(BUNDLE, 'compile-cache'));
}
