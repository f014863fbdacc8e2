import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { sharedPostgres } from '../../support/postgres';
import { GatewayProcess, type GatewayProcessOptions } from '../../support/process';

describe('a process that is told to stop', () => {
  /** Uses its own database on a running server, because starting a server takes longer than the rest. */
  const start = async (options: GatewayProcessOptions = {}) =>
    GatewayProcess.start({ ...options, env: { DATABASE_URL: await (await sharedPostgres()).createDatabase() } });

  it('answers the requests that wait at its listener', async () => {
    const gateway = await start();
    const { hostname, port } = new URL(gateway.url);
    // Only the kernel accepts connections and requests now.
    gateway.child.kill('SIGSTOP');
    const request = `GET /api/v1/messages HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.key}\r\n\r\n`;
    const clients = Array.from({ length: 100 }, () => connect(Number(port), hostname));
    const answers = clients.map(async (client) => (await text(client)).slice(0, 12));
    await Promise.all(clients.map((client) => new Promise<void>((resolve) => client.write(request, () => resolve()))));
    gateway.child.kill('SIGTERM');
    gateway.child.kill('SIGCONT');
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'HTTP/1.1 200'));
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
  });

  it('stores all records of a request that is answered during the stop, and logs no error', async () => {
    const telegram = await new TelegramFake().start();
    const anthropic = await new AnthropicFake().start();
    const gateway = await start({ telegram, anthropic });
    anthropic.hold();
    const generated = gateway.api('POST', '/ai/generate', { message: 'Hello' });
    await anthropic.waitForInFlight(1, 20_000);
    gateway.child.kill('SIGTERM');
    const ready = async () => (await fetch(`${gateway.url}/health/ready`)).status;
    await eventually('it is not ready any more', async () => expect(await ready()).toBe(503));
    const message = { platform: 'telegram', recipient: '7', message: 'Hello' };
    const sent = gateway.api('POST', '/messages/send', message);
    anthropic.release();
    expect((await generated).status).toBe(200);
    expect([200, 400]).toContain((await sent).status);
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(gateway.output).not.toMatch(/TypeError|Cannot read properties/);
    await Promise.all([telegram.stop(), anthropic.stop()]);
  }, 60_000);
});
