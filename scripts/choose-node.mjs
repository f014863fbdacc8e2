// Prints the path of the Node that `npm start` runs the gateway on: the one that started npm, if it has the security fixes of
// October 2026 (https://nodejs.org/en/blog/vulnerability), else the one that npm installed, which runs this script.
import { execFileSync } from 'node:child_process';

/** The first fixed version of each line that is supported. */
const FIXED = [
  [22, 22, 4],
  [24, 22, 1],
  [26, 12, 1],
];

function isFixed(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  const fixed = FIXED.find(([line]) => line === major);
  return fixed !== undefined && (minor > fixed[1] || (minor === fixed[1] && patch >= fixed[2]));
}

function versionOf(node) {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' }).replace(/^v/, '').trim();
  } catch {
    return '';
  }
}

const starter = process.env.npm_node_execpath;
console.log(starter && isFixed(versionOf(starter)) ? starter : process.execPath);
