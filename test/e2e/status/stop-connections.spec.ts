import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('a stop', () => {
  const stopping = ({ url }: TestGateway) =>
    eventually('it is not ready any more', async () => {
      expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    });

  it('answers the request in progress, and does not wait for its client to disconnect', async () => {
    const gateway = await startTestGateway();
    const body = JSON.stringify({ platform: 'telegram', recipient: 'ada', message: 'hello' });
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const arrived = once(gateway.app.getHttpServer(), 'request');
    client.write(
      `POST /api/v1/messages/send HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.testKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await arrived;
    const closed = once(client, 'close');
    const stopped = gateway.stop();
    await stopping(gateway);
    client.write(body.slice(10));
    const startedAt = performance.now();
    await Promise.all([closed, stopped]);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('answers a request that follows the one in progress', async () => {
    const gateway = await startTestGateway();
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    let answers = '';
    client.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    const arrived = once(gateway.app.getHttpServer(), 'request');
    const common = `Host: ${hostname}\r\nAuthorization: Bearer ${gateway.testKey}\r\n`;
    client.write(
      `GET /api/v1/messages HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`,
    );
    await arrived;
    const closed = once(client, 'close');
    const stopped = gateway.stop();
    await stopping(gateway);
    client.write(`{}GET /api/v1/integrations HTTP/1.1\r\n${common}\r\n`);
    await Promise.all([closed, stopped]);
    const [first, second] = answers.split(/(?<=\})(?=HTTP)/);
    expect(first).toMatch(/^HTTP\/1.1 200 /);
    expect(second).toMatch(/^HTTP\/1.1 200 /);
    expect(second).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(second).toMatch(/^connection: close\r$/im);
  });

  it('answers a request of which one byte was read before the listener closed', async () => {
    const gateway = await startTestGateway();
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    const accepted = once(gateway.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    let answer = '';
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    client.write('G');
    const [socket] = await accepted;
    await eventually('the byte is read', () => expect(socket.bytesRead).toBe(1));
    const closed = once(client, 'close');
    const stopped = gateway.stop();
    await eventually('the listener is closed', () => expect(gateway.app.getHttpServer().listening).toBe(false));
    client.write(
      `ET /api/v1/messages HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.testKey}\r\n\r\n`,
    );
    await Promise.all([closed, stopped]);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('does not wait for a client that connected and wrote nothing', async () => {
    const gateway = await startTestGateway();
    const { hostname, port } = new URL(gateway.url);
    const accepted = once(gateway.app.getHttpServer(), 'connection');
    const client = connect(Number(port), hostname).on('error', () => undefined);
    await accepted;
    const startedAt = performance.now();
    await gateway.stop();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    client.destroy();
  });
});
