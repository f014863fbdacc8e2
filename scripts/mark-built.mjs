// Marks the build as complete, for build-if-stale.mjs.
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/.built', import.meta.url), '');
