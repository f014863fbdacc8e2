import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const HTTPS_REQUIRED = expectedError('INVALID_REQUEST', { reason: 'HTTPS is required' });

describe('Native TLS', () => {
  let directory: string;
  let certFile: string;
  let gateway: TestGateway;
  let agent: Agent;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-test-tls-'));
    const keyFile = join(directory, 'key.pem');
    certFile = join(directory, 'cert.pem');
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
        .concat(['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1'])
        .concat(['-out', certFile, '-keyout', keyFile]),
      { stdio: 'ignore' },
    );
    const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, REQUIRE_HTTPS: 'true' };
    gateway = await startTestGateway({ env });
    agent = new Agent({ connect: { ca: await readFile(certFile) } });
  });

  afterAll(async () => {
    await agent.destroy();
    await gateway.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('serves https with the Strict-Transport-Security header', async () => {
    expect(gateway.url).toMatch(/^https:/);
    const answer = await request(`${gateway.url}/api/v1/messages`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(await answer.body.json()).toMatchObject({ success: true, data: [] });
  });

  it('adds that header to parser errors and unknown routes too', async () => {
    const { port } = new URL(gateway.url);
    const answers = await Promise.all(
      ['nonsense', 'GET /%zz HTTP/1.1\r\nHost: gateway\r\nConnection: close'].map(async (bytes) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', ca: await readFile(certFile) });
        socket.write(`${bytes}\r\n\r\n`);
        return text(socket);
      }),
    );
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
      expect(answer).toContain('\r\nstrict-transport-security: max-age=31536000; includeSubDomains\r\n');
    }
  });

  it('does not answer plain http on its port', async () => {
    await expect(request(`${gateway.url.replace('https:', 'http:')}/health/live`)).rejects.toThrow(
      /closed|ECONNRESET|EPIPE/,
    );
  });
});

describe('HTTPS by way of a proxy', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    // Two proxies, one behind the other: the outer one has an address of 10.0.0.0/8.
    const env = { REQUIRE_HTTPS: 'true', TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' };
    gateway = await startTestGateway({ env });
  });

  const call = (headers: Record<string, string>, key?: string) =>
    gateway.api('GET', '/integrations', undefined, { headers, key });

  it.each(['http', 'https, http'])('is not proven by X-Forwarded-Proto: %s', async (proto) => {
    expect(await call({ 'x-forwarded-proto': proto })).toMatchObject(HTTPS_REQUIRED);
  });

  it('is proven by the last of several values: what a client sent is not believed', async () => {
    expect((await call({ 'x-forwarded-proto': 'http, https' })).status).toBe(200);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9, ::ffff:10.1.2.3', '203.0.113.9'],
    ['2001:db8::9, 10.1.2.3', '2001:db8::9'],
    ['203.0.113.9:4711', '203.0.113.9'],
  ])('reads X-Forwarded-For: %s as the client %s', async (forwarded, client) => {
    const key = await gateway.createKey({ allowedIps: ['192.0.2.1'] });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded };
    const { status, body } = await call(headers, key);
    expect(status).toBe(403);
    expect(body.error.details).toEqual({ request_ip: client, allowed_ips: ['192.0.2.1'] });
  });

  it.each(['not an address', '203.0.113.9:port', '203.0.113.9, unknown'])(
    'accepts no client for X-Forwarded-For: %s, and does not crash',
    async (forwarded) => {
      const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded };
      expect((await call(headers, key)).status).toBe(403);
    },
  );
});
