import { connect } from 'node:net';
import { escaped, LONGEST_BODIES } from '../../openapi/longest-bodies';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';
import { resolveNoNames } from '../../support/no-names';

const MEBIBYTE = 1_048_576;

const gateway = useGateway();

beforeAll(async () => {
  resolveNoNames(gateway);
});

/**
 * As clients do that read nothing before they have written everything (Python's http.client): a reset throws away what
 * was answered meanwhile.
 * @returns the whole answer
 */
function writeThenRead(head: string, body: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).pause();
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(head);
    socket.write(body, () => socket.resume());
  });
}

const post = (key: string | null, length: number | 'chunked', connection = 'close') =>
  [
    'POST /api/v1/messages/send HTTP/1.1',
    'Host: gateway',
    'Content-Type: application/json',
    `Connection: ${connection}`,
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');

const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

it.each([2, 5, 10])('a body of %d MiB is refused with a readable response', async (size) => {
  const body = Buffer.alloc(size * MEBIBYTE, 'x');
  for (const connection of ['close', 'keep-alive']) {
    const answer = await writeThenRead(post(gateway.testKey, body.length, connection), body);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*the body is larger than 200 KiB/);
  }
  expect(await writeThenRead(post(gateway.testKey, 'chunked'), chunked(body))).toMatch(/^HTTP\/1\.1 400 /);
});

it('a large body without a key is refused for the key', async () => {
  const body = Buffer.alloc(5 * MEBIBYTE, 'x');
  expect(await writeThenRead(post(null, body.length), body)).toMatch(/^HTTP\/1\.1 401 [^]*INVALID_API_KEY/);
});

it('a large body to an unknown route is answered 404', async () => {
  const body = Buffer.alloc(5 * MEBIBYTE, 'x');
  const head = post(null, body.length).replace('/messages/send', '/nowhere');
  expect(await writeThenRead(head, body)).toMatch(/^HTTP\/1\.1 404 [^]*RESOURCE_NOT_FOUND/);
});

it('a body that never arrives is not waited for', async () => {
  for (const key of [null, gateway.testKey]) {
    const startedAt = performance.now();
    const answer = await writeThenRead(post(key, 5 * MEBIBYTE, 'keep-alive'), 'x');
    expect(answer).toMatch(/^HTTP\/1\.1 40[01] [^]*\r\nconnection: close\r\n/i);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }
});

it.each(Object.entries(LONGEST_BODIES))(
  '%s accepts its longest body with every character escaped',
  async (_, longest) => {
    const { method, path, bytes, shown, body } = longest;
    const api = (json: string) => gateway.api(method, path, json, { key: gateway.testKey });
    const json = escaped(body);
    expect(json.length).toBeLessThanOrEqual(bytes);
    expect([200, 201]).toContain((await api(json.padEnd(bytes))).status);
    expect(await api(json.padEnd(bytes + 1))).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: `the body is larger than ${shown}` }),
    );
  },
);
