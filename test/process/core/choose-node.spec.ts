import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('npm start', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-node-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const chosen = (starter: string) =>
    execFileSync(process.execPath, [join(__dirname, '../../../scripts/choose-node.mjs')], {
      encoding: 'utf8',
      env: { npm_node_execpath: starter },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();

  const nodeOf = async (version: string) => {
    const path = join(folder, `node-${version}`);
    await writeFile(path, `#!/bin/sh\necho v${version}\n`);
    await chmod(path, 0o755);
    return path;
  };

  it.each(['22.22.4', '22.23.0', '24.22.1', '24.22.10', '24.100.0', '26.12.1'])(
    'runs the gateway on the Node %s that started npm',
    async (version) => {
      const starter = await nodeOf(version);
      expect(chosen(starter)).toBe(starter);
    },
  );

  it.each(['20.20.2', '22.22.3', '24.21.0', '24.22.0', '25.9.0', '26.12.0', '27.0.0'])(
    'runs the gateway on the installed Node when %s started npm',
    async (version) => {
      expect(chosen(await nodeOf(version))).toBe(process.execPath);
    },
  );

  it("runs the gateway on the installed Node if npm's Node is unknown or cannot run", () => {
    expect(chosen('')).toBe(process.execPath);
    expect(chosen(join(folder, 'missing'))).toBe(process.execPath);
  });
});
