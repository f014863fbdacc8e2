import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSED = /\.(js|css|svg)$/;

/** The libraries mark their files for frameworks that render on a server; and compressing takes its time. */
const QUIET = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

/** Writes `.br` and `.gz` beside the files that the gateway serves: it compresses nothing while it runs. */
function precompress() {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((each) => COMPRESSED.test(each))) {
        const file = join(dir, name);
        const source = await readFile(file);
        await Promise.all([writeFile(`${file}.br`, await brotli(source)), writeFile(`${file}.gz`, await gz(source))]);
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [precompress()],
  resolve: { alias: { '#client': fileURLToPath(new URL('../client/browser.ts', import.meta.url)) } },
  build: {
    target: 'es2023',
    // Older targets would have light-dark() rewritten into something that ignores the chosen colours.
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // The policy of the page lets no `data:` address in but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // What the first view needs comes as one file: many small ones would queue for the browser's six connections.
      output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
      onLog: (level, log, next) => {
        if (!QUIET.has(log.code)) next(level, log);
      },
    },
  },
  // `npm exec vite libs/dashboard` serves the sources while a gateway runs beside it.
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/docs': 'http://127.0.0.1:3000' } },
});
