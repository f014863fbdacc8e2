import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSED = /\.(js|css|svg)$/;

/** Harmless warnings: libraries mark their files for server rendering, and the compression plugin is slow. */
const QUIET = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

/** Writes `.br` and `.gz` files at build time, so that the running gateway need not compress. */
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
    // For older targets, Vite rewrites light-dark() so that it ignores the chosen colour scheme.
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    // The content security policy allows `data:` URLs only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // One file for the first view: many small files would queue for the browser's six connections.
      output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
      onLog: (level, log, next) => {
        if (!QUIET.has(log.code)) next(level, log);
      },
    },
  },
  // For `npm exec vite libs/dashboard`, which serves the sources while a gateway runs on port 3000.
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/docs': 'http://127.0.0.1:3000' } },
});
