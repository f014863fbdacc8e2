import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { sharedPostgres } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';

describe('a start that fails', () => {
  /** The output of the process: one line without a stack. */
  async function faultOf(env: NodeJS.ProcessEnv): Promise<string> {
    const gateway = await GatewayProcess.spawn({ env });
    expect(await gateway.exited).toEqual({ code: 1, signal: null });
    const lines = gateway.output.trim().split('\n');
    expect(lines).toHaveLength(1);
    return lines[0]!;
  }

  it('reports once that the file system rejects the data directory as missing', async () => {
    expect(await faultOf({ DATA_DIR: '/proc/nope' })).toMatch(
      /The data directory \/proc\/nope cannot be written \(ENOENT\)/,
    );
  });

  it('reports once, without a stack, a secret that does not match the database', async () => {
    const env = { DATABASE_URL: await (await sharedPostgres()).createDatabase() };
    const gateway = await GatewayProcess.start({ env });
    gateway.child.kill('SIGTERM');
    await gateway.exited;
    const API_KEY_PEPPER = 'another pepper than that of before';
    expect(await faultOf({ ...env, API_KEY_PEPPER })).toMatch(/The pepper is not the one/);
  }, 60_000);

  it.each([
    ['password', { password: 'wrong' }],
    ['role', { username: 'another' }],
    ['database', { pathname: '/nowhere' }],
  ])('reports once a wrong %s in DATABASE_URL, and does not retry', async (_, wrong) => {
    const url = Object.assign(new URL(await (await sharedPostgres()).createDatabase()), wrong);
    const gateway = await GatewayProcess.spawn({ env: { DATABASE_URL: url.href } });
    expect(await gateway.exited).toEqual({ code: 1, signal: null });
    expect(gateway.output.trim()).toMatch(/^The gateway could not start: The database refused the connection: .*$/);
  });

  it('reports once, without a stack, a port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const PORT = String((taken.address() as AddressInfo).port);
    expect(await faultOf({ PORT })).toMatch(/EADDRINUSE/);
    taken.close();
  }, 60_000);
});
