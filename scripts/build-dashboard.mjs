// Builds the page (libs/dashboard) into dist/dashboard. With --if-stale: only when it is missing
// or older than a source file. With --with-parent: until the process that started it ends.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'dist', 'dashboard');
const config = join(root, 'libs', 'dashboard', 'vite.config.mjs');
const sources = ['libs/dashboard', 'libs/client', 'libs/contracts', 'package.json'];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory() || path.endsWith('/dist')) return stat.isDirectory() ? 0 : stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isStale() {
  const index = join(target, 'index.html');
  if (!existsSync(config)) return false;
  return !existsSync(index) || Math.max(...sources.map((name) => newest(join(root, name)))) > statSync(index).mtimeMs;
}

/** An image has neither the bundler nor the sources. */
function loadBundler() {
  return existsSync(config) ? import('vite').catch(() => undefined) : undefined;
}

/** In a folder of its own first: a page that is being served changes in one step, and an ended build leaves it as it was. */
async function build({ build: bundle }) {
  mkdirSync(dirname(target), { recursive: true });
  const fresh = mkdtempSync(join(dirname(target), 'dashboard-'));
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
  await bundle({ configFile: config, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
  // A folder of mkdtemp is its maker's alone; in an image, another user serves it.
  chmodSync(fresh, 0o755);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

// A test run has another: it would get the libraries' slow editions.
process.env.NODE_ENV = 'production';
const options = new Set(process.argv.slice(2));
process.once('SIGTERM', () => process.exit(143));
if (options.has('--with-parent')) {
  // The gateway that started it holds the other end of stdin: the build ends with the gateway.
  process.stdin.on('close', () => process.exit(143)).resume();
}
const isIfStale = options.has('--if-stale');
if (!isIfStale || isStale()) {
  const bundler = await loadBundler();
  if (bundler) await build(bundler);
  else if (!isIfStale) throw new Error('the bundler or the sources of the dashboard are missing');
}
process.exit(0);
