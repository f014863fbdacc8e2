import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { GatewayProcess } from '../../support/process';

const KEY = /service_sk_(live|test)_\w{32}/g;
const NO_BOOTSTRAP_KEY = { BOOTSTRAP_API_KEY: undefined };

jest.setTimeout(90_000);

describe('the first keys', () => {
  it('are written to a private file if stdout is no terminal, and its path is logged', async () => {
    const gateway = await GatewayProcess.start({ env: NO_BOOTSTRAP_KEY });
    const file = join(gateway.dataDir, 'first-keys');
    await eventually('the path is logged', () => expect(gateway.output).toContain(`The first API keys are in ${file}`));
    expect(gateway.output).not.toMatch(KEY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const keys = (await readFile(file, 'utf8')).match(KEY)!;
    expect(keys.map((key) => key.slice(0, 16))).toEqual(['service_sk_live_', 'service_sk_test_']);
    for (const key of keys) expect((await gateway.api('GET', '/status', undefined, { key })).status).toBe(200);
    // The link works once.
    const [, code] = /dashboard#code=(\S+)/.exec(await readFile(file, 'utf8'))!;
    const exchange = () => gateway.api('POST', '/dashboard/exchange', { code }, { key: null });
    expect((await exchange()).body.data).toEqual({ live: keys[0], test: keys[1] });
    expect((await exchange()).status).toBe(401);
    // Any user who could read the lock could hold it, and block the next start.
    expect((await stat(join(gateway.dataDir, 'gateway.lock'))).mode & 0o777).toBe(0o600);
  });

  it('are shown on a terminal, and not stored', async () => {
    const onTerminal = (words: readonly string[]) => ['script', '--quiet', '--command', words.join(' '), '/dev/null'];
    const gateway = await GatewayProcess.start({ env: NO_BOOTSTRAP_KEY, wrap: onTerminal });
    expect(gateway.output.match(KEY)).toHaveLength(2);
    await expect(stat(join(gateway.dataDir, 'first-keys'))).rejects.toThrow('ENOENT');
  });
});
