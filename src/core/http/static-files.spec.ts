import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import { StaticFiles } from './static-files';

describe('StaticFiles', () => {
  let app: FastifyInstance;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'static-files-'));
    for (const name of ['a.js', 'a.js.br', 'a.js.gz', 'b.css', 'c.secret']) await writeFile(join(folder, name), name);
    const sut = await StaticFiles.read(folder);
    await rm(folder, { recursive: true });
    app = fastify();
    app.get('/*', (request, reply) => {
      const file = sut.answer((request.params as { '*': string })['*'], request, reply);
      return file ?? reply.callNotFound();
    });
  });
  afterAll(() => app.close());

  const get = async (url: string, encoding?: string) => {
    const { statusCode, headers, body } = await app.inject({
      url,
      headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
    });
    return [statusCode, body, headers['content-type'], headers['content-encoding'], headers.vary];
  };
  const JS = 'text/javascript; charset=utf-8';

  it.each([
    ['gzip, deflate, br', 'a.js.br', 'br'],
    ['gzip;q=1.0, br;q=0', 'a.js.gz', 'gzip'],
    ['GZIP ; Q=0.5 , br ;q=0.0', 'a.js.gz', 'gzip'],
    ['identity', 'a.js', undefined],
    [undefined, 'a.js', undefined],
  ])('serves Accept-Encoding %s with %s', async (encoding, body, expected) => {
    expect(await get('/a.js', encoding)).toEqual([200, body, JS, expected, 'accept-encoding']);
  });

  it('serves a file without a compressed form uncompressed', async () => {
    expect(await get('/b.css', 'br')).toEqual([200, 'b.css', 'text/css; charset=utf-8', undefined, undefined]);
  });

  it.each([' ', ';', ',', ' ;', 'q=', 'br;'])('parses a header of %j in less than 50 ms of CPU', async (unit) => {
    const header = `gzip${unit.repeat(15_000 / unit.length)}x`;
    expect(await leastCpuOf(() => get('/a.js', header))).toBeLessThan(LONGEST_MS);
  });

  it.each(['/none.js', '/c.secret', '/%2e%2e%2fa.js', '/a.js.br', '/__proto__'])('has no %s', async (url) => {
    expect((await get(url))[0]).toBe(404);
  });
});
