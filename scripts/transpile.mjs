// Translates the server into dist/ without checking its types, in a second: a first `npm start` need not wait for the
// compiler. `npm run build` and `npm run check` do check them.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { include, exclude } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

/** Throws where the packages for development are missing. */
const { transformFile } = await import('@swc/core');

/** A folder in the list stands for everything in it. */
const isExcluded = (path) => exclude.some((pattern) => matchesGlob(path, pattern) || path.startsWith(`${pattern}/`));
// The compiler follows imports; this does not, and the demonstration and the benches use these.
const files = [...include, 'test/support']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  .filter((path) => !isExcluded(path) && !path.endsWith('.d.ts'));

// The compiler would take what is here for its own, and leave it as it is.
rmSync(join(root, 'dist', 'tsconfig.build.tsbuildinfo'), { force: true });
await Promise.all(
  files.map(async (path) => {
    const { code, map } = await transformFile(join(root, path), { cwd: root, sourceMaps: true });
    const target = join(root, 'dist', path.replace(/\.ts$/, '.js'));
    if (!existsSync(dirname(target))) mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${target.slice(dirname(target).length + 1)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }),
);
