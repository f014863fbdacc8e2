import { version as released } from '../../../package.json';
import { GatewayProcess } from '../../support/process';

interface Line {
  level: string;
  time: string;
  msg: string;
  version?: string;
}

describe('the log of a gateway without a terminal', () => {
  it('contains only JSON, from the start with version and addresses to the stop with signal and duration', async () => {
    const gateway = await GatewayProcess.start({ env: { BOOTSTRAP_API_KEY: undefined, LOG_LEVEL: 'info' } });
    gateway.child.kill('SIGTERM');
    await gateway.exited;
    const lines = gateway.output.trim().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Line);
    for (const line of parsed) {
      expect(line).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
      expect(Date.parse(line.time)).not.toBeNaN();
    }
    const { url } = gateway;
    expect(parsed.find(({ version }) => version)).toMatchObject({
      version: released,
      addresses: {
        dashboard: `${url}/dashboard`,
        api: `${url}/api/v1`,
        docs: `${url}/docs`,
        health: `${url}/health/ready`,
      },
    });
    const stopped = { msg: 'The gateway has stopped', signal: 'SIGTERM', duration_ms: expect.any(Number) as number };
    expect(parsed.at(-1)).toMatchObject(stopped);
  });
});
