// Builds the project when dist/ is missing or older than a source file, so that `npm start` is one command.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const marker = join(root, 'dist', 'src', 'main.js');
const sources = ['src', 'libs', 'test', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Built and packed for itself, by `npm run client:pack`, into a dist of its own. */
const client = join(root, 'libs', 'client');

function newest(path) {
  if (path === client) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function stale() {
  if (!existsSync(marker)) return true;
  // An image ships dist/ without the sources: nothing to compare with, nothing to build.
  const present = sources.map((name) => join(root, name)).filter((path) => existsSync(path));
  if (!existsSync(join(root, 'src'))) return false;
  return Math.max(...present.map(newest)) > statSync(join(root, 'dist', '.built')).mtimeMs;
}

function isStale() {
  try {
    return stale();
  } catch {
    return true;
  }
}

if (isStale()) {
  console.error('Building (first start, or the sources changed) …');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}
