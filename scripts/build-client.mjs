// Builds the client (libs/client) into its dist, with the contracts that it needs: what `npm pack` there makes a package of.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'libs/client');
const target = join(source, 'dist');
const require = createRequire(import.meta.url);

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
// What the compiler says goes to stderr: `npm pack` prints the name of the package to stdout.
execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', source], { stdio: ['ignore', 2, 2] });

// `import` gets the same module as `require`: were it a second copy, an error of one would not be an instance in the other.
const names = Object.keys(require(join(target, 'client/index.js')));
writeFileSync(
  join(target, 'index.mjs'),
  `import client from './client/index.js';\n\nexport const { ${names.join(', ')} } = client;\n`,
);
writeFileSync(join(target, 'index.d.mts'), `export * from './client/index.js';\n`);

// The edition for browsers is one file that a page may load as it is.
const { build } = await import('vite');
await build({
  configFile: false,
  logLevel: 'silent',
  build: {
    lib: { entry: join(source, 'browser.ts'), formats: ['es'], fileName: () => 'browser.mjs' },
    outDir: target,
    emptyOutDir: false,
    minify: false,
  },
});
writeFileSync(join(target, 'browser.d.mts'), `export * from './client/browser.js';\n`);
copyFileSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
