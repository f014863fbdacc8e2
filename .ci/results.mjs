// What the runs of Jest came to, from the files that --json --outputFile leave.
//   results.mjs failed FILE   the test files of a run that failed, one a line
//   results.mjs sum FILE...   failures by name with their reasons, and the totals; FILE.again.json: its test files that ran once more
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** The longest reason that is shown; the output of the run has all of it. */
const MOST_CHARACTERS = 2_000;

/** A run without a result is one failed file; a test file that could not run is one failed test. */
const read = (file) => {
  if (!existsSync(file)) return [{ name: file, tests: [{ title: 'it left no result', status: 'failed' }] }];
  return JSON.parse(readFileSync(file, 'utf8')).testResults.map(({ name, message, assertionResults }) => {
    const isBroken = assertionResults.length === 0 && message;
    return { name, tests: isBroken ? [{ title: message, status: 'failed' }] : assertionResults };
  });
};

const failedOf = ({ tests }) => tests.filter(({ status }) => status === 'failed');

const indented = (text) => text.replaceAll(/^/gm, '  ');

const [command, ...files] = process.argv.slice(2);
if (command === 'failed') {
  const failed = read(files[0]).filter((file) => failedOf(file).length > 0);
  for (const { name } of failed) console.log(name);
} else {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const tell = (what, { name }, tests) => {
    for (const { title, failureMessages = [] } of tests) {
      console.log(`${what}: ${name}: ${title}`);
      for (const message of failureMessages)
        console.log(indented(stripVTControlCharacters(message).slice(0, MOST_CHARACTERS)));
    }
  };
  for (const run of files) {
    const againFile = run.replace(/json$/, 'again.json');
    const again = new Map((existsSync(againFile) ? read(againFile) : []).map((file) => [file.name, file]));
    for (const file of read(run)) {
      const last = again.get(file.name) ?? file;
      if (last !== file) tell('Flaky, ran again alone', file, failedOf(file));
      tell('Failed', last, failedOf(last));
      for (const { status } of last.tests) {
        const count = status === 'passed' || status === 'failed' ? status : 'skipped';
        counts[count] += 1;
      }
    }
  }
  const { passed, failed, skipped } = counts;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
