// Prints what the changelog says of a version, for the page of its release: `node scripts/release-notes.mjs v1.0.0`.
// Fails if a file has another version than the tag, or the changelog says nothing of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const version = (process.argv[2] ?? '').replace(/^v/, '');

const versions = {
  'package.json': JSON.parse(read('package.json')).version,
  'libs/client/package.json': JSON.parse(read('libs/client/package.json')).version,
  'deploy/helm/messaging-gateway/Chart.yaml': /^version: (.+)$/m.exec(
    read('deploy/helm/messaging-gateway/Chart.yaml'),
  )[1],
};
const wrong = Object.entries(versions).filter(([, own]) => own !== version);
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((text) => text.startsWith(`[${version}]`));
const notes = section?.slice(section.indexOf('\n')).trim();

if (wrong.length > 0)
  fail(`The tag is ${version}, but ${wrong.map(([path, own]) => `${path} has ${own}`).join(', ')}.`);
if (!notes) fail(`CHANGELOG.md has no section [${version}].`);
console.log(notes);

function fail(message) {
  console.error(message);
  process.exit(1);
}
