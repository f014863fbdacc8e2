import { execFileSync } from 'node:child_process';
import { eventually } from '../../support/eventually';
import { GatewayProcess, isAlive } from '../../support/process';

const STOP_MS = 35_000;

describe('the process', () => {
  /** Rejects when either still runs after a while. */
  const gone = (what: string, pids: (number | undefined)[]) =>
    eventually(`${what} has ended`, () => expect(pids.filter((pid) => isAlive(pid!))).toEqual([]), {
      timeoutMs: STOP_MS,
    });

  /** The pid of the server, which replaces the shell of npm. */
  const childOf = (pid: number) => Number(execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).trim());

  it('rejects a data directory that another process uses, and stops cleanly on SIGTERM', async () => {
    const gateway = await GatewayProcess.start();
    const postgres = await gateway.postgresPid();
    expect(postgres).toBeGreaterThan(0);

    const second = await GatewayProcess.spawn({ dataDir: gateway.dataDir, key: gateway.key });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(gateway.dataDir);
    expect(second.output).toMatch(/in use|another process/i);
    expect(second.output.trim().split('\n')).toHaveLength(1);

    const stoppedAt = performance.now();
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    process.stdout.write(`  stopped after ${Math.round(performance.now() - stoppedAt)} ms\n`);
    await gone('PostgreSQL', [postgres]);

    const again = await gateway.restart();
    process.stdout.write(`  ready after ${again.readyMs} ms on a warm data directory\n`);
    expect((await again.api('GET', '/status')).status).toBe(200);
    again.child.kill('SIGINT');
    expect(await again.exited).toEqual({ code: 0, signal: null });
  }, 60_000);

  it('restarts a killed database, logs it, and stops cleanly while the database is unavailable', async () => {
    const gateway = await GatewayProcess.start();
    const killed = (await gateway.postgresPid())!;
    process.kill(killed, 'SIGKILL');
    const second = await eventually(
      'another one serves',
      async () => {
        const pid = await gateway.postgresPid();
        expect([killed, undefined]).not.toContain(pid);
        expect((await gateway.api('GET', '/status')).status).toBe(200);
        return pid!;
      },
      { timeoutMs: 40_000 },
    );
    expect(gateway.output).toContain('The embedded PostgreSQL stopped (SIGKILL); restarting it');
    process.kill(second, 'SIGKILL');
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    const again = await gateway.restart();
    expect((await again.api('GET', '/status')).status).toBe(200);
  }, 120_000);

  it.each([
    ['SIGTERM to the process that npm runs', 'SIGTERM', true],
    ['SIGTERM to npm', 'SIGTERM', false],
    ['the death of npm', 'SIGKILL', false],
  ] as const)(
    'leaves nothing running after %s',
    async (_, signal, toChild) => {
      const npm = await GatewayProcess.start({ npm: true });
      const pids = [npm.child.pid, childOf(npm.child.pid!), await npm.postgresPid()];
      expect(pids.every((pid) => isAlive(pid!))).toBe(true);
      process.kill(toChild ? pids[1]! : pids[0]!, signal);
      await gone('everything', pids);
    },
    60_000,
  );
});
