import { connect } from 'node:net';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

describe('a client that disconnects before its response', () => {
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ anthropic });

  /** Sends these lines, and goes when `told`. */
  async function askAndGo(lines: string[], told: () => Promise<unknown>): Promise<void> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(lines.join('\r\n'));
    await told();
    socket.destroy();
  }

  const audited = (path: string) =>
    gateway.sql<{ status: number }>('SELECT status FROM audit_log WHERE path = $1', [path]);
  const isAudited = (path: string, status: number) =>
    eventually('it is in the audit log, once', async () => expect(await audited(path)).toEqual([{ status }]));

  it('is in the audit log with the status 499, even if the request was refused', async () => {
    const path = '/api/v1/status/gone';
    const asked = new Promise((resolve) => void gateway.app.getHttpServer().once('request', resolve));
    await askAndGo([`POST ${path} HTTP/1.1`, 'Host: gateway', 'Content-Length: 100', '', ''], () => asked);
    await isAudited(path, 499);
  });

  it.each(['application/json', 'text/event-stream'])(
    'is in the audit log and the metrics with the status 499 when it asked the AI (%s)',
    async (accept) => {
      const path = '/api/v1/ai/generate';
      await gateway.sql('DELETE FROM audit_log');
      anthropic.delay(500);
      const before = anthropic.requests.length;
      const body = JSON.stringify({ message: 'Hello' });
      const head = [`POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${gateway.liveKey}`];
      const lines = [
        ...head,
        'Content-Type: application/json',
        `Accept: ${accept}`,
        `Content-Length: ${body.length}`,
        '',
        body,
      ];
      await askAndGo(lines, () =>
        eventually('the provider is asked', () => expect(anthropic.requests.length).toBeGreaterThan(before)),
      );
      const [row] = await eventually('it is in the audit log', async () => {
        const rows = await audited(path);
        expect(rows).toHaveLength(1);
        return rows;
      });
      expect(row!.status).toBe(499);
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toMatch(
        /gateway_http_requests_total\{[^}]*route="\/api\/v1\/ai\/generate"[^}]*status="499"[^}]*\} \d/,
      );
    },
  );
});
