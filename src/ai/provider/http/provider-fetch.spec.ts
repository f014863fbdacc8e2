import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { streamingFetch, wholeFetch } from './provider-fetch';

const TEXT = '{"text":"We open at nine."}';

describe(wholeFetch.name, () => {
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const asked: { method: string; path: string; body: string }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        asked.push({ method: request.method!, path: request.url!, body });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => asked.splice(0));

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const post = () => wholeFetch(`${url}/v1/messages`, { method: 'POST', body: 'question', headers: new Headers() });

  it('gets plain text from a server that compresses for clients that accept it', async () => {
    answer = (request, response) => {
      const accepted = request.headers['accept-encoding'] ?? '*';
      if (!/gzip|\*/.test(accepted)) response.end(TEXT);
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT));
    };
    const encodings = new Headers({ 'Accept-Encoding': 'gzip, deflate' });
    const response = await wholeFetch(url, { headers: encodings });
    expect(await response.text()).toBe(TEXT);
    expect(await (await post()).text()).toBe(TEXT);
  });

  it('follows a redirect with the same request', async () => {
    answer = ({ url: path }, response) => {
      if (path === '/moved') response.end(TEXT);
      else response.writeHead(307, { location: '/moved' }).end();
    };
    expect(await (await post()).text()).toBe(TEXT);
    expect(asked.at(-1)).toEqual({ method: 'POST', path: '/moved', body: 'question' });
  });

  it.each([wholeFetch, streamingFetch])('sends no key to another origin (%p)', async (fetching) => {
    answer = ({ headers, url: path }, response) => {
      if (path === '/v1/messages') response.writeHead(307, { location: url.replace('127.0.0.1', 'localhost') }).end();
      else response.end(JSON.stringify([headers['x-api-key'] ?? null, headers.authorization ?? null]));
    };
    const headers = new Headers({ 'x-api-key': 'secret', authorization: 'Bearer secret' });
    const response = await fetching(`${url}/v1/messages`, { method: 'POST', body: 'question', headers });
    expect(await response.json()).toEqual([null, null]);
    expect(asked.at(-1)).toMatchObject({ method: 'POST', body: 'question' });
  });

  it("does not use Node's own fetch, even after another part of the program has", async () => {
    let isFetch = false;
    answer = ({ headers }, response) => {
      isFetch = headers['sec-fetch-mode'] !== undefined;
      response.end(TEXT);
    };
    await fetch(url);
    expect(isFetch).toBe(true);
    await post();
    expect(isFetch).toBe(false);
  });

  it.each(['NODE_USE_ENV_PROXY=1', 'NODE_OPTIONS=--use-env-proxy'])(
    'goes through the proxy of the environment when %s is set',
    async (setting) => {
      answer = ({ url: path }, response) => response.end(JSON.stringify(path));
      const [name, value] = setting.split(/=(.*)/) as [string, string];
      process.env[name] = value;
      process.env['HTTP_PROXY'] = url;
      try {
        await jest.isolateModulesAsync(async () => {
          const { wholeFetch: proxied } = jest.requireActual<typeof import('./provider-fetch')>('./provider-fetch');
          const response = await proxied('http://provider.invalid/v1/messages', { method: 'POST', body: 'question' });
          expect(await response.json()).toMatch(/^(http:\/\/provider\.invalid)?\/v1\/messages$/);
        });
      } finally {
        delete process.env[name];
        delete process.env['HTTP_PROXY'];
      }
    },
  );
});
