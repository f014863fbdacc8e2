import type { IncomingMessage } from 'node:http';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { expectAtMost } from '../../hostile/figures';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

const LENGTH = 4_194_304;

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

  afterAll(async () => {
    await gateway.stop();
    await telegram.stop();
    await whatsapp.stop();
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

  it('but not where its signature may be right', async () => {
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': whatsapp.sign(body) };
    const answer = await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    const forged = { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const refused = await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', headers: forged, body });
    expect(refused.status).toBe(401);
  });
});
