import { connect } from 'node:net';
import { Clock } from '../../../src/core/clock/clock.service';
import { anId } from '../../support/expected';
import { useGateway } from '../../support/gateway';

/** What no client sends that means well: written to the socket byte by byte. */

const BODY = JSON.stringify({ platform: 'telegram', recipient: '7', message: 'Hello' });
const LENGTH = BODY.length;
const NOT_HTTP = 'it is not valid HTTP';
const TOO_LARGE = 'the headers or the URL are too large';

const gateway = useGateway();

/**
 * Everything that is answered until the connection ends.
 * @param last whether the client says that it will write no more; Node then takes it to have gone, unless something is missing
 */
function exchange(bytes: string, last = false): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    // A client that has said too much may be cut off before all of it was read.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    if (last) socket.end(bytes, 'latin1');
    else socket.write(bytes, 'latin1');
  });
}

/** Parts of an answer, of which there must be exactly one. */
function read(answer: string) {
  expect(answer.match(/HTTP\/1\.1 \d{3} /g)).toHaveLength(1);
  const [head, body] = answer.split('\r\n\r\n', 2) as [string, string];
  const [status, ...lines] = head.split('\r\n') as [string, ...string[]];
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2) as [string, string]));
  const parsed = JSON.parse(body) as { meta: { request_id: string; timestamp: string } };
  return { status: Number(status.split(' ')[1]), headers, body: parsed };
}

async function refused(bytes: string, reason: string, last = false) {
  const { status, headers, body } = read(await exchange(bytes, last));
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      success: false,
      error: { code: 'INVALID_REQUEST', message: expect.any(String) as string, details: { reason } },
      meta: { request_id: anId('request'), timestamp: expect.any(String) as string },
    },
  });
  expect(headers).toMatchObject({
    'x-request-id': body.meta.request_id,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'deny',
    'referrer-policy': 'no-referrer',
  });
  return body;
}

const common = () =>
  `Host: gateway\r\nAuthorization: Bearer ${gateway.testKey}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
const get = (headers: string) => `GET /api/v1/messages HTTP/1.1\r\n${common()}${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /api/v1/messages/send HTTP/1.1\r\n${common()}${headers}\r\n\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked', body);
const chunk = (size: string) => `${size}\r\n${BODY}\r\n0\r\n\r\n`;
const size = LENGTH.toString(16);

afterEach(async () => {
  // The server lives, and nothing of what was refused has had an effect.
  expect((await gateway.api('GET', '/health/live')).status).toBe(200);
  expect(await gateway.sql('SELECT 1 FROM messages')).toEqual([]);
});

it.each<[string, () => string, string]>([
  ['a length that is no number', () => post('Content-Length: many', BODY), NOT_HTTP],
  ['a negative length', () => post('Content-Length: -1', BODY), NOT_HTTP],
  ['a length with a sign', () => post(`Content-Length: +${LENGTH}`, BODY), NOT_HTTP],
  ['a length beyond 64 bits', () => post(`Content-Length: ${'9'.repeat(23)}`, BODY), NOT_HTTP],
  [
    'a length beyond the limit',
    () => post('Content-Length: 9007199254740993', BODY),
    'the body is larger than 200 KiB',
  ],
  [
    'a body that is not UTF-8',
    () => post(`Content-Length: ${LENGTH}`, BODY.replace('Hello', 'H\u00e9llo').slice(0, LENGTH)),
    'the body is not valid UTF-8',
  ],
  ['two lengths', () => post(`Content-Length: ${LENGTH}\r\nContent-Length: 5`, BODY), NOT_HTTP],
  ['the same length twice', () => post(`Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`, BODY), NOT_HTTP],
  ['a list of lengths', () => post(`Content-Length: ${LENGTH}, ${LENGTH}`, BODY), NOT_HTTP],
  ['a length and chunks', () => post(`Transfer-Encoding: chunked\r\nContent-Length: ${LENGTH}`, chunk(size)), NOT_HTTP],
  ['chunks and a length', () => post(`Content-Length: ${LENGTH}\r\nTransfer-Encoding: chunked`, chunk(size)), NOT_HTTP],
  ['an encoding that is not chunked', () => post('Transfer-Encoding: gzip', BODY), NOT_HTTP],
  ['chunks that are encoded again', () => post('Transfer-Encoding: chunked, identity', chunk(size)), NOT_HTTP],
  ['a chunk whose size is no number', () => chunked(chunk('zz')), NOT_HTTP],
  ['a chunk of negative size', () => chunked(chunk('-5')), NOT_HTTP],
  ['a chunk of a size beyond 64 bits', () => chunked(chunk('f'.repeat(18))), NOT_HTTP],
  ['a chunk longer than its size', () => chunked(chunk('5')), NOT_HTTP],
  ['a chunk with an extension of 20,000 characters', () => chunked(chunk(`${size};${'a'.repeat(20_000)}`)), NOT_HTTP],
  ['NUL in a header', () => get('X-A: a\0b\r\n'), NOT_HTTP],
  ['a space in the name of a header', () => get('X A: b\r\n'), NOT_HTTP],
  ['a space before the colon', () => get('X-A : b\r\n'), NOT_HTTP],
  ['a header without a colon', () => get('nonsense\r\n'), NOT_HTTP],
  ['a header of two lines', () => get('X-A: a\r\n b\r\n'), NOT_HTTP],
  ['a header of 200,000 characters', () => get(`X-A: ${'a'.repeat(200_000)}\r\n`), TOO_LARGE],
  ['5,000 headers', () => get('X-A: b\r\n'.repeat(5_000)), TOO_LARGE],
  ['a URL of 200,000 characters', () => get('').replace('messages', 'a'.repeat(200_000)), TOO_LARGE],
  ['lines that end with LF alone', () => get('').replaceAll('\r\n', '\n'), NOT_HTTP],
  ['lines that end with CR alone', () => get('').replaceAll('\r\n', '\r'), NOT_HTTP],
  ['a method that HTTP does not know', () => get('').replace('GET', 'FROB'), NOT_HTTP],
  ['a path without a slash', () => get('').replace('/api', 'api'), NOT_HTTP],
  ['bytes that are not ASCII in the path', () => get('').replace('messages', '\u00ff\u00fe'), NOT_HTTP],
  ['a TLS greeting', () => '\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0000', NOT_HTTP],
  ['the greeting of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', NOT_HTTP],
  ['HTTP/0.9', () => 'GET /api/v1/messages\r\n\r\n', 'the version of HTTP is not supported'],
  ['HTTP/2.0 on a line of 1.1', () => get('').replace('1.1', '2.0'), 'the version of HTTP is not supported'],
  ['HTTP/1.1 without Host', () => get('').replace('Host: gateway\r\n', ''), 'the Host header is missing'],
  ['two Hosts', () => get('').replace('Host:', 'HOST: other\r\nHost:'), 'the Host header must appear once'],
  [
    'HTTP/1.1 without Host at /health',
    () => 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n',
    'the Host header is missing',
  ],
  ['another Expect', () => post(`Expect: a miracle`, ''), 'the Expect header is not supported'],
])('%s is refused in the envelope', async (_, bytes, reason) => {
  await refused(bytes(), reason);
});

it.each<[string, () => string]>([
  ['a line that is cut', () => get('').slice(0, 12)],
  ['headers that are cut', () => get('').slice(0, -2)],
  ['a body shorter than announced', () => post(`Content-Length: ${LENGTH + 50}`, BODY)],
  ['a chunk that is cut', () => chunked(`${size}\r\n${BODY.slice(0, 10)}`)],
])('%s, with nothing more to follow, is refused in the envelope', async (_, bytes) => {
  await refused(bytes(), NOT_HTTP, true);
});

it.each([
  ['nothing but empty lines', '\r\n'.repeat(50)],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
])('%s is not answered', async (_, bytes) => {
  expect(await exchange(bytes, true)).toBe('');
});

it('HTTP/1.0 may omit the Host header', async () => {
  const bytes = get('').replace('1.1', '1.0').replace('Host: gateway\r\n', '');
  expect(read(await exchange(bytes)).status).toBe(200);
});

it("a response to a malformed request has the gateway's time", async () => {
  const clock = gateway.app.get(Clock);
  clock.adjust(3_600_000);
  const answers = [
    await refused('nonsense\r\n\r\n', NOT_HTTP),
    await refused(post('Expect: a miracle', ''), 'the Expect header is not supported'),
  ];
  clock.adjust(-3_600_000);
  for (const { meta } of answers) expect(Date.parse(meta.timestamp)).toBeGreaterThan(Date.now() + 3_500_000);
});
