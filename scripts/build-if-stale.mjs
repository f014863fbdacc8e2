// Builds the server when dist/ is missing or older than a source file, so that `npm start` is one command.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const marker = join(root, 'dist', 'bundle', 'main.js');
/** The bundle holds the packages too: what npm installed is the last. */
const sources = [
  'src',
  'libs',
  'test',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'node_modules/.package-lock.json',
];

/** Built for themselves: the client by `npm run client:pack`, the page by build-dashboard.mjs. */
const others = ['client', 'dashboard'].map((name) => join(root, 'libs', name));

function newest(path) {
  if (others.includes(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function stale() {
  if (!existsSync(marker)) return true;
  // An image ships dist/ without the sources; `npm prune --omit=dev` removes what builds. Nothing can be built then.
  if (['src', 'node_modules/@nestjs/cli'].some((path) => !existsSync(join(root, path)))) return false;
  const present = sources.map((name) => join(root, name)).filter((path) => existsSync(path));
  return Math.max(...present.map(newest)) > statSync(join(root, 'dist', '.built')).mtimeMs;
}

function isStale() {
  try {
    return stale();
  } catch {
    return true;
  }
}

/** Without a check of types, which `npm run check` and `npm run build` make; without the translator, by the compiler. */
function build() {
  const [node, options] = [process.execPath, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }];
  try {
    for (const step of ['transpile.mjs', 'bundle.mjs'])
      execFileSync(node, [join(root, 'scripts', step)], { ...options, stdio: ['ignore', 'inherit', 'ignore'] });
  } catch {
    execFileSync('npm', ['run', '--silent', 'build'], options);
    return;
  }
  execFileSync(node, [join(root, 'scripts', 'mark-built.mjs')], options);
}

if (isStale()) {
  console.error('Building (first start, or the sources changed) …');
  build();
}
