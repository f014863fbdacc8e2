import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUpAfterSpec } from '../support/cleanup';
import PROCESS_SPECS from './process-specs.json';

const E2E = join(__dirname, '../e2e');
/** Of every test in a room: a spec's own `jest.setTimeout` would count for the specs after it. */
const TIMEOUT_MS = 300_000;

/**
 * Runs the specs of a folder of test/e2e as one file: Jest loads every module anew for each file, and to load the
 * application takes longer than most specs. `npm test -- test/e2e/<room>` runs them each by itself.
 * @param only of these names
 */
export function runRoom(room: string, only = /^/): void {
  const folder = join(E2E, room);
  const specs = readdirSync(folder).filter((name) => name.endsWith('.spec.ts') && only.test(name));
  for (const spec of specs) {
    if (PROCESS_SPECS.includes(`${room}/${spec}`)) continue;
    describe(`test/e2e/${room}/${spec}`, () => {
      jest.requireActual(join(folder, spec));
      cleanUpAfterSpec();
    });
  }
  jest.setTimeout(TIMEOUT_MS);
}
