import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestGateway } from '../support/gateway';

describe('a stop', () => {
  it('answers the request that is under way, and does not wait for its client to leave', async () => {
    const gateway = await startTestGateway();
    const body = JSON.stringify({ platform: 'telegram', recipient: 'ada', message: 'hello' });
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    client.write(
      `POST /api/v1/messages/send HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.testKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await sleep(200);
    const stopped = gateway.stop();
    // By now the server is closed: whatever is idle later, it was not idle then.
    await sleep(1_500);
    const closed = once(client, 'close');
    client.write(body.slice(10));
    const startedAt = performance.now();
    await Promise.all([closed, stopped]);
    expect(answer).toMatch(/^HTTP\/1.1 (200|500)/);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
