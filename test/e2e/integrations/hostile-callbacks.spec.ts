import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LONG_AT_ONCE } from '../../../src/integrations/callbacks/callback-bodies.service';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { expectAtMost } from '../../hostile/figures';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

const LENGTH = 4_194_304;
/** Bytes that slow callbacks send a second. */
const DRIP = 100;

describe('a callback is refused before its body is read', () => {
  let telegram: TelegramFake;
  let whatsapp: WhatsAppFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    whatsapp = await new WhatsAppFake().start();
    const env = {
      ...whatsapp.env,
      TELEGRAM_WEBHOOK_URL: 'https://127.0.0.1:9/callbacks/telegram',
      TELEGRAM_WEBHOOK_SECRET: 'a-secret',
    };
    gateway = await startTestGateway({ telegram, env });
  });

  it.each<[string, string, string[], number]>([
    ['of no platform', '/callbacks/unknown', [], 404],
    ['of a platform that is not configured', '/callbacks/discord', [], 404],
    ['without the secret of Telegram', '/callbacks/telegram', [], 401],
    ['with a wrong secret', '/callbacks/telegram', ['X-Telegram-Bot-Api-Secret-Token: a-secre'], 401],
    ['without the signature of WhatsApp', '/callbacks/whatsapp', [], 401],
    ['with a signature that is none', '/callbacks/whatsapp', ['X-Hub-Signature-256: sha256=abc'], 401],
  ])('%s', async (name, path, headers, status) => {
    const arrived = new Promise<IncomingMessage>(
      (resolve) => void gateway.app.getHttpServer().once('request', resolve),
    );
    const client = new RawClient(gateway.url);
    const head = [`POST ${path} HTTP/1.1`, 'Host: gateway', 'Content-Type: application/json', ...headers];
    client.write(...head, `Content-Length: ${LENGTH}`, '', '{');
    const incoming = await arrived;
    // Of the body, no byte is kept: what listens to it only counts it, and the answer waits half a second for more.
    expect((await client.answer()).status).toBe(status);
    expect(incoming.complete).toBe(false);
    expectAtMost({ name: `a callback ${name} is closed after`, value: await client.closed, unit: 'ms', most: 2_000 });
  });

  it('a callback whose signature has the right form is read, and answered by whether the signature matches', async () => {
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': whatsapp.sign(body) };
    const answer = await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    const forged = { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const refused = await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', headers: forged, body });
    expect(refused.status).toBe(401);
  });

  const forgery = (length: number) => {
    const client = new RawClient(gateway.url);
    const head = ['POST /callbacks/whatsapp HTTP/1.1', 'Host: gateway', 'Content-Type: application/json'];
    client.write(...head, `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`, `Content-Length: ${length}`, '', '{');
    const drip = setInterval(() => void client.socket.write(' '.repeat(DRIP)), 1_000);
    client.socket.on('close', () => clearInterval(drip));
    return client;
  };
  const genuine = async () => {
    // Longer than 64 KiB: it needs a place of those that are few.
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [], filler: 'x'.repeat(100_000) });
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': whatsapp.sign(body) };
    const startedAt = performance.now();
    const answer = await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return performance.now() - startedAt;
  };

  it('a genuine callback is answered within 2 s next to four slow forged ones, of which the slowest is closed', async () => {
    const forged = Array.from({ length: LONG_AT_ONCE }, () => forgery(LENGTH));
    await sleep(500);
    const latencies = [await genuine(), ...(await Promise.all([genuine(), genuine(), genuine()]))];
    for (const { socket } of forged) socket.destroy();
    const value = Math.max(...latencies);
    expectAtMost({ name: 'a genuine callback beside four slow forged ones', value, unit: 'ms', most: 2_000 });
  });

  it.each([
    ['short', 10_000],
    ['long', LENGTH],
  ])('a %s forged callback below 4 KiB a second is closed after 5 s', async (kind, length) => {
    const client = forgery(length);
    const value = await client.closed;
    expect(client.answered().status).toBe(400);
    expectAtMost({ name: `a ${kind} slow callback is closed after`, value, unit: 'ms', most: 6_000 });
  });

  it('a callback with 4 KiB a second continues after 5 s', async () => {
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [], filler: 'x'.repeat(45_000) });
    const client = new RawClient(gateway.url);
    const head = ['POST /callbacks/whatsapp HTTP/1.1', 'Host: gateway', 'Content-Type: application/json'];
    head.push(`X-Hub-Signature-256: ${whatsapp.sign(body)}`, `Content-Length: ${body.length}`, 'Connection: close');
    client.write(...head, '', '');
    for (let sent = 0; sent < body.length; sent += 6_000) {
      client.socket.write(body.slice(sent, sent + 6_000));
      await sleep(1_000);
    }
    expect((await client.answer()).status).toBe(200);
  });
});
