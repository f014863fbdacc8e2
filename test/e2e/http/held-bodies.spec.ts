import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { fromPublicId } from '#contracts';
import { Clock } from '../../../src/core/clock/clock.service';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const BODY = JSON.stringify({ platform: 'telegram', recipient: '7', message: 'Hello' });

const gateway = useGateway();

const nextRequest = () =>
  new Promise<IncomingMessage>((resolve) => void gateway.app.getHttpServer().once('request', resolve));

/** Sends the headers of a request, and the first bytes of its body. */
async function open(key: string, bytes = 1) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const arrived = nextRequest();
  const lines = [
    'POST /api/v1/messages/send HTTP/1.1',
    'Host: gateway',
    'Connection: close',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${BODY.slice(0, bytes)}`);
  return { socket, incoming: await arrived };
}

/** As `open`, until the guards have let the request pass. */
async function hold(key: string) {
  const { socket, incoming } = await open(key);
  await eventually('the gateway reads the body', () => expect(incoming.listenerCount('data')).toBeGreaterThan(0));
  return async () => {
    socket.write(BODY.slice(1));
    const answer = await text(socket);
    const [head, body] = answer.split('\r\n\r\n', 2) as [string, string];
    const requestId = /x-request-id: (\S+)/.exec(head)![1]!;
    return { status: Number(head.split(' ')[1]), head, requestId, body: JSON.parse(body) as unknown };
  };
}

interface MadeKey {
  id: string;
  key: string;
}

async function makeKey(fields: object = {}): Promise<MadeKey> {
  const request = { name: 'Held', environment: 'test', scopes: ['write:messages'], ...fields };
  const { body } = await gateway.api<MadeKey>('POST', '/admin/api-keys', request);
  return body.data;
}

const messages = () => gateway.sql('SELECT 1 FROM messages');

describe('a request whose body arrives late', () => {
  it('is served when its body is complete', async () => {
    const { key } = await makeKey();
    const complete = await hold(key);
    expect(await complete()).toMatchObject({ status: 200 });
    await gateway.sql('TRUNCATE messages CASCADE');
  });

  it('is refused if its key was revoked meanwhile, and in the audit log with its key', async () => {
    const { id, key } = await makeKey();
    const complete = await hold(key);
    expect((await gateway.api('DELETE', `/admin/api-keys/${id}`)).status).toBe(200);
    const answer = await complete();
    expect(answer).toMatchObject(expectedError('INVALID_API_KEY', null));
    expect(answer.head).toMatch(/x-ratelimit-remaining: \d+/);
    await eventually('it is in the audit log', async () => {
      const rows = await gateway.sql('SELECT status, api_key_id FROM audit_log WHERE request_id = $1', [
        fromPublicId('request', answer.requestId),
      ]);
      expect(rows).toEqual([{ status: 401, api_key_id: fromPublicId('api_key', id) }]);
    });
    expect(await messages()).toEqual([]);
  });

  it('is refused if its key expired meanwhile', async () => {
    const clock = gateway.app.get(Clock);
    const expiresAt = new Date(clock.now() + 1_800_000).toISOString();
    const { key } = await makeKey({ expires_at: expiresAt });
    const complete = await hold(key);
    clock.adjust(3_600_000);
    try {
      expect(await complete()).toMatchObject(expectedError('API_KEY_EXPIRED', { expired_at: expiresAt }));
    } finally {
      clock.adjust(-3_600_000);
    }
    expect(await messages()).toEqual([]);
  });

  it('is refused if the addresses of its key changed meanwhile', async () => {
    const { id, key } = await makeKey();
    const complete = await hold(key);
    const allowed_ips = ['203.0.113.0/24'];
    expect((await gateway.api('PATCH', `/admin/api-keys/${id}`, { allowed_ips })).status).toBe(200);
    expect(await complete()).toMatchObject(expectedError('IP_NOT_ALLOWED', { request_ip: '127.0.0.1', allowed_ips }));
    expect(await messages()).toEqual([]);
  });

  it.each([1, BODY.length])(
    'ends if its client disconnects while the guards wait, after %d bytes of it',
    async (bytes) => {
      const key = await gateway.createKey({ environment: 'test' });
      const blocker = new Client({ connectionString: gateway.databaseUrl });
      await blocker.connect();
      try {
        await blocker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
        const { socket, incoming } = await open(key, bytes);
        socket.destroy();
        await eventually('the gateway has noticed', () => expect(incoming.destroyed).toBe(true));
      } finally {
        await blocker.end();
      }
      await eventually('it is in the audit log', async () => {
        const rows = await gateway.sql('SELECT status FROM audit_log WHERE masked_key LIKE $1', [`%${key.slice(-4)}`]);
        expect(rows).toEqual([{ status: 499 }]);
      });
      expect(await messages()).toEqual([]);
    },
  );
});
