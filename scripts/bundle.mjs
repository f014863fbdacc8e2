// Puts the built gateway and its packages into a few files, dist/bundle/: a start then reads these instead of 2,300 files
// (ADR 71). They are plain JavaScript with the names of the sources; nothing is minified.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { FROM_ITS_FILES } from './outside-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const folder = join(dist, 'bundle');
/** The names of what a build wrote. */
const list = join(folder, 'files.json');

/** What others would use if it were installed. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'zlib-sync',
];
const isOutside = (id) =>
  [...NOT_INSTALLED, ...FROM_ITS_FILES].some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Some of Nest's packages load others by a `require` of their own, which the bundler does not see: the process would get a
 * second copy of them, whose decorators know nothing of ours. By the plain `require` they get those of the bundle.
 */
const OWN_REQUIRE = 'const require = createRequire(import.meta.url);';
const oneCopyOfEach = {
  name: 'one-copy-of-each',
  transform: {
    filter: { id: /node_modules\/@nestjs\// },
    handler: (code) => (code.includes(OWN_REQUIRE) ? code.replace(OWN_REQUIRE, '') : undefined),
  },
};

/** What the build before wrote: a gateway that still runs it may load some of its files later. */
function before() {
  try {
    return JSON.parse(readFileSync(list, 'utf8'));
  } catch {
    return [];
  }
}

const options = {
  cwd: root,
  platform: 'node',
  external: isOutside,
  plugins: [oneCopyOfEach],
  onLog(level, log, print) {
    // What is not found now would not be found at run time.
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    if (level === 'warn' && !['EVAL', 'EMPTY_IMPORT_META'].includes(log.code)) print(level, log);
  },
};
const bundle = await rolldown({
  ...options,
  input: { main: join(dist, 'src/main.js'), cli: join(dist, 'src/operations/cli/main.js') },
});
/** A file that needs no other: the gateway reads it at its start and runs it from memory. */
const backups = await rolldown({ ...options, input: join(dist, 'src/operations/backups/process/backup-process.js') });
/** @returns the names of the files: what others load comes before those that load it */
async function write(from, names) {
  const { output } = await from.write({
    dir: made,
    format: 'cjs',
    keepNames: true,
    // V8 keeps the text in memory: with comments and two bytes for each character it would be 27 MB, so it is 14.
    comments: false,
    charset: 'ascii',
    ...names,
  });
  return output.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry)).map(({ fileName }) => fileName);
}

// Beside, and moved when it is whole: a gateway may start meanwhile.
mkdirSync(folder, { recursive: true });
const made = mkdtempSync(join(dist, 'bundle-'));
try {
  const written = await write(bundle, { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  written.unshift(...(await write(backups, { entryFileNames: '[name].js', codeSplitting: false })));
  for (const name of written) renameSync(join(made, name), join(folder, name));
  const earlier = before();
  if (earlier.toSorted().join() !== written.toSorted().join()) {
    const kept = new Set([...written, ...earlier, 'files.json']);
    for (const name of readdirSync(folder))
      if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
    writeFileSync(list, JSON.stringify(written));
  }
} finally {
  rmSync(made, { recursive: true, force: true });
}
