import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TelegramError } from 'telegraf';
import { BotApi } from './bot-api';
import { TransportError } from '#http-client';

const TOKEN = '4242:very-secret';

describe(BotApi.name, () => {
  let server: Server;
  let api: BotApi;

  async function answering(listener: RequestListener): Promise<BotApi> {
    server = createServer(listener);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    api = new BotApi(TOKEN, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return api;
  }
  const errorOf = async (calling: Promise<unknown>): Promise<unknown> => calling.catch((error: unknown) => error);

  afterEach(async () => {
    await api.close();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });

  it('calls the method with the token and returns its result', async () => {
    let path: string | undefined;
    await answering((request, response) => {
      path = request.url;
      response.end('{"ok":true,"result":{"id":4242}}');
    });
    await expect(api.call('getMe', {}, { deadlineMs: 5_000 })).resolves.toEqual({ id: 4242 });
    expect(path).toBe(`/bot${TOKEN}/getMe`);
  });

  it('turns a refusal into a TelegramError with neither the token nor the request in it', async () => {
    await answering((_, response) =>
      response.writeHead(400).end(JSON.stringify({ ok: false, error_code: 400, description: `bad ${TOKEN}` })),
    );
    const sending = api.call('sendMessage', { chat_id: 1, text: 'private words' }, { deadlineMs: 5_000 });
    const error = await errorOf(sending);
    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({ code: 400, description: 'bad [token]' });
    expect(JSON.stringify(error)).not.toMatch(/very-secret|private words/);
  });

  it.each([
    ['a page from a proxy', 502, true],
    ['a page with a success status', 200, true],
    ['a page that refuses the request', 403, false],
  ])('treats %s as no answer (%i, possibly executed: %s)', async (_, status, written) => {
    await answering((__, response) => response.writeHead(status).end('<html>'));
    const error = await errorOf(api.call('getMe', {}, { deadlineMs: 5_000 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ written });
    expect((error as Error).stack).not.toContain('very-secret');
  });

  it.each([
    ['a page', '<html>', '7', 7],
    ['a page without a pause', '<html>', undefined, undefined],
    ['Telegram’s own', '{"ok":false,"error_code":429,"description":"no"}', '7', 7],
    ['Telegram’s own with a pause', '{"ok":false,"error_code":429,"parameters":{"retry_after":3}}', '7', 3],
  ])('turns a 429 into a refusal with an optional pause: %s', async (_, body, header, retry_after) => {
    const limits: unknown[] = [];
    await answering((__, response) =>
      response.writeHead(429, header === undefined ? {} : { 'retry-after': header }).end(body),
    );
    api.onRateLimit = (notice) => void limits.push(notice);
    const error = await errorOf(api.call('getMe', {}, { deadlineMs: 5_000 }));
    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({ code: 429 });
    expect((error as TelegramError).parameters?.retry_after).toBe(retry_after);
    expect(limits).toEqual([{ call: 'getMe' }]);
  });

  it('keeps connections for the next calls', async () => {
    const ports = new Set<number | undefined>();
    await answering((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{"ok":true,"result":true}');
    });
    for (let call = 0; call < 10; call += 1) await api.call('getMe', {}, { deadlineMs: 5_000 });
    // A call that follows at once may find the first connection not free yet.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('reports that nothing was written when TLS fails', async () => {
    await answering((_, response) => response.end());
    const secure = new BotApi(TOKEN, api.host.replace(/^/, 'https://'));
    const error = await errorOf(secure.call('getMe', {}, { deadlineMs: 5_000 }));
    expect(error).toMatchObject({ written: false });
    await secure.close();
  });

  it('reports that nothing was written when the name does not resolve', async () => {
    await answering((_, response) => response.end());
    const nowhere = new BotApi(TOKEN, 'https://nowhere.invalid');
    expect(await errorOf(nowhere.call('getMe', {}, { deadlineMs: 9_000 }))).toMatchObject({ written: false });
    await nowhere.close();
  });

  it('stops at the deadline, and at once when aborted', async () => {
    await answering(() => undefined);
    expect(await errorOf(api.call('getMe', {}, { deadlineMs: 50 }))).toMatchObject({
      written: true,
      message: expect.stringContaining('no answer within 50 ms') as string,
    });
    const signal = AbortSignal.timeout(10);
    expect(await errorOf(api.call('getMe', {}, { deadlineMs: 60_000, signal }))).toBeInstanceOf(TransportError);
  });
});
