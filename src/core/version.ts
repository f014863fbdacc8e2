import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** From the nearest package.json above: sources and build lie at different depths. */
function readVersion(directory: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
    return version;
  } catch {
    return readVersion(dirname(directory));
  }
}

/** The service's version, which GET /status returns. */
export const VERSION = readVersion(__dirname);
