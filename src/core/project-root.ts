import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder above with a package.json: sources and build are at different depths. */
function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : rootAbove(dirname(directory));
}

/** The folder of the project: in the image, the folder of the built gateway. */
export const PROJECT_ROOT = rootAbove(__dirname);
