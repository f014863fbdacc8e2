import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Compiles like the tests themselves do, so that a child process runs the sources and not an old build. */
const RUN_FIXTURE = `
const { transformFileSync } = require(${JSON.stringify(createRequire(__filename).resolve('@swc/core'))});
require.extensions['.ts'] = (module, file) => module._compile(transformFileSync(file).code, file);
require(${JSON.stringify(join(__dirname, 'stray-fault.fixture.ts'))});
`;

interface Ended {
  code: number;
  lines: string[];
}

function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const cwd = join(__dirname, '../../..');
    execFile(process.execPath, ['--eval', RUN_FIXTURE, '--', ...args], { cwd }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), lines: inOrder(stdout.trim().split('\n')) }),
    );
  });
}

/** Sorts all lines but the last: the event loop decides the order of the platform's faults. */
function inOrder(lines: readonly string[]): string[] {
  return [...lines.slice(0, -1).toSorted(), ...lines.slice(-1)];
}

describe('an uncaught error', () => {
  const ofPlatform = [
    'platform: Error: abort',
    'platform: Error: event',
    'platform: Error: rejection',
    'platform: Error: timer',
  ];

  it('is attributed to the platform whose code threw it, and the process continues', async () => {
    expect(await run()).toEqual({ code: 0, lines: [...ofPlatform, 'alive'] });
  });

  it('ends the process if our own code threw it, even when a platform had called it', async () => {
    expect(await run('own')).toEqual({ code: 1, lines: [...ofPlatform, 'ours: Error: own'] });
  });
});
