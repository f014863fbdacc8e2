import { setTimeout } from 'node:timers/promises';
import { fromPublicId } from '#contracts';
import { HEADERS_MS, REQUEST_MS } from '../../../src/core/http/hardening/time-limits';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { anId } from '../../support/expected';
import { useGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

/** How late the server may notice that a request exceeds a limit, in milliseconds. */
const TOLERANCE_MS = 2_000;

/** By this the server's limits are divided, so that their end comes sooner. */
const HURRY = 2.5;
const LIMITS = { headersTimeout: HEADERS_MS / HURRY, requestTimeout: REQUEST_MS / HURRY };

const BODY = JSON.stringify({ name: 'Held', scopes: ['read:status'] });

jest.setTimeout(60_000);

const gateway = useGateway();

const connect = () => new RawClient(gateway.url);
const headOf = (path: string, ...more: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway',
  `Authorization: Bearer ${gateway.liveKey}`,
  'Content-Type: application/json',
  ...more,
];

/** Writes a text one character at a time, over longer than any limit. */
async function drip({ socket }: RawClient, text: string, everyMs: number): Promise<void> {
  for (const character of text) {
    await setTimeout(everyMs);
    if (socket.destroyed || socket.readableEnded) return;
    socket.write(character);
  }
}

async function expectRefused(name: string, client: RawClient, limitMs: number): Promise<string> {
  const { status, headers, body } = await client.answer();
  const answer = JSON.parse(body) as { meta: { request_id: string } };
  expect({ status, answer }).toMatchObject({
    status: 400,
    answer: {
      success: false,
      error: { code: 'INVALID_REQUEST', details: { reason: 'the request took too long to arrive' } },
      meta: { request_id: anId('request') },
    },
  });
  expect(headers).toMatchObject({ 'x-request-id': answer.meta.request_id, connection: 'close' });
  const tookMs = await client.closed;
  expect(tookMs).toBeGreaterThan(limitMs - 100);
  expectAtMost({ name: `${name} end after`, value: tookMs, unit: 'ms', most: limitMs + TOLERANCE_MS });
  return answer.meta.request_id;
}

describe('a slow request', () => {
  it('has 10 s for its headers and 20 s in all, and its response may come later', () => {
    const { requestTimeout, headersTimeout, timeout } = gateway.app.getHttpServer();
    expect({ requestTimeout, headersTimeout, timeout }).toEqual({
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
      timeout: 0,
    });
  });

  it('is refused at these limits (shortened here), in the envelope and with an audit row', async () => {
    Object.assign(gateway.app.getHttpServer(), LIMITS);
    const path = '/api/v1/admin/api-keys';
    const silent = connect();
    const dripped = connect();
    void drip(dripped, headOf(path, '').join('\r\n'), 500 / HURRY);
    const held = connect().write(...headOf(path, `Content-Length: ${BODY.length}`, '', BODY.slice(0, 1)));
    const chunked = connect().write(...headOf(path, 'Transfer-Encoding: chunked', '', ''));
    void drip(chunked, '1\r\n \r\n'.repeat(100), 100 / HURRY);
    const late = connect();
    // Both limits count from the first byte: headers that take 7 s of 10 leave 13 s for the body.
    void drip(late, headOf(path, `Content-Length: ${BODY.length}`).join('\r\n').slice(0, 7), 1_000 / HURRY).then(() =>
      late.write(headOf(path, `Content-Length: ${BODY.length}`, '', BODY.slice(0, 1)).join('\r\n').slice(7)),
    );

    await expectRefused('a connection without a byte', silent, LIMITS.headersTimeout);
    await expectRefused('dripped headers', dripped, LIMITS.headersTimeout);
    const ids = [
      await expectRefused('a held body', held, LIMITS.requestTimeout),
      await expectRefused('a dripped body of chunks', chunked, LIMITS.requestTimeout),
      await expectRefused('a body behind slow headers', late, LIMITS.requestTimeout),
    ];
    await eventually('each is in the audit log, once', async () => {
      const rows = await gateway.sql('SELECT status FROM audit_log WHERE request_id = ANY($1)', [
        ids.map((id) => fromPublicId('request', id)),
      ]);
      expect(rows).toEqual(ids.map(() => ({ status: 400 })));
    });
    expect(await gateway.sql("SELECT 1 FROM api_keys WHERE name = 'Held'")).toEqual([]);
  });
});
