import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { signStandardWebhook } from '#contracts';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { isNodeOnRegistry, nodeOnMachine } from '../../support/node-versions';

const ROOT = resolve(__dirname, '../../..');
const NAMES = 'MessagingGateway, GatewayError, GatewayNotFoundError, signTestWebhook, verifyWebhook';
/** Those that package.json promises. The newest one also runs the tests. */
const NODES = [20, 22, 24];

const run = promisify(execFile);

/** What a program of a user does, whichever way it loads the client. */
const PROGRAM = `
async function main() {
  const { GATEWAY_URL: baseUrl, GATEWAY_API_KEY: apiKey, DELIVERY } = process.env;
  const statuses = [];
  const onResponse = ({ response }) => statuses.push(response?.status);
  const client = new MessagingGateway({ baseUrl, apiKey, onResponse });
  const sent = await client.messages.send({ platform: 'telegram', recipient: process.argv[1], message: 'Hello' });
  const listed = [];
  for await (const { id } of client.messages.list({ per_page: 1 })) listed.push(id);
  const stream = client.ai.stream({ message: 'Hello' });
  let text = '';
  for await (const piece of stream) text += piece;
  const missing = await client.messages.get('msg_00000000000000000000000000').catch((error) => error);
  const { response } = await client.settings.get().withResponse();
  const { payload, headers } = signTestWebhook({ payload: { id: 'evt_2', type: 'system.health' }, secret: 'secret' });
  console.log(JSON.stringify({
    node: process.versions.node.split('.')[0],
    hasRequestId: /^req_/.test(response.requestId),
    hasRateLimit: response.rateLimit.remaining < response.rateLimit.limit && response.rateLimit.resetAt > new Date(),
    statuses: [...new Set(statuses)],
    signed: verifyWebhook({ payload, headers, secret: 'secret' }).id,
    isListed: listed.includes(sent.message_id),
    isStreamed: text.length > 0 && text === (await stream.result()).response,
    isGatewayError: missing instanceof GatewayError && missing instanceof GatewayNotFoundError,
    event: verifyWebhook({ ...JSON.parse(DELIVERY), secret: 'secret' }),
  }));
}
main();
`;

const BROWSER_PROGRAM = `
import * as client from '@messaging-gateway/client';
const made = new client.MessagingGateway({ baseUrl: 'http://127.0.0.1', apiKey: 'key' });
console.log('list' in made.messages, client.verifyWebhook, client.signTestWebhook);
`;

/** The code of a user's page, before it is bundled. */
const PAGE = `
import { GatewayNotFoundError, MessagingGateway } from '@messaging-gateway/client';

export async function use(baseUrl, apiKey) {
  const client = new MessagingGateway({ baseUrl, apiKey });
  const { data, response } = await client.messages.send({ platform: 'telegram', recipient: 'page', message: 'Hello' }).withResponse();
  const listed = await client.messages.list().autoPagingToArray({ limit: 1 });
  const missing = await client.messages.get('msg_00000000000000000000000000').catch((error) => error);
  const text = (await client.ai.stream({ message: 'Hello' }).result()).response;
  return {
    isListed: listed[0].id === data.message_id,
    hasRequestId: response.requestId.startsWith('req_'),
    isMissing: missing instanceof GatewayNotFoundError,
    isStreamed: text.length > 0,
  };
}
`;

/** A page: the bundle runs with what browsers have too, and nothing of Node. */
const PAGE_RUNNER = `
const { readFileSync } = require('node:fs');
const { createContext, runInContext } = require('node:vm');
const agents = new Set();
const page = {
  fetch: (url, init) => (agents.add(init.headers.get('user-agent')), fetch(url, init)),
  URL, Headers, Response, ReadableStream, AbortController, TextDecoder, TextEncoder, Blob, FormData, DOMException,
  crypto, performance, setTimeout, clearTimeout,
};
runInContext(readFileSync('page/page.bundle.js', 'utf8'), createContext(page));
const { GATEWAY_URL, GATEWAY_API_KEY } = process.env;
runInContext('page', page).use(GATEWAY_URL, GATEWAY_API_KEY).then((done) =>
  console.log(JSON.stringify({ ...done, agents: [...agents] })),
);
`;

const BUNDLER = `
export default {
  logLevel: 'warn',
  build: {
    outDir: 'page',
    minify: false,
    lib: { entry: 'page.js', name: 'page', formats: ['iife'], fileName: () => 'page.bundle.js' },
  },
};
`;

/** Compiled, and never run: the types that a user meets. */
const TYPED = `
import { GatewayError, GatewayNotFoundError, MessagingGateway, type GatewayResponse, type Message, type MessageSendParams, type ConversationListParams, type Page, type MessageItem, type WebhookEvent } from '@messaging-gateway/client';

export async function use(client: MessagingGateway, event: WebhookEvent, error: unknown): Promise<string> {
  const page: Page<MessageItem> = await client.messages.list({ platform: 'discord', direction: 'inbound' });
  const message: Message = await client.messages.get(page.data[0]!.id);
  const params: MessageSendParams = { platform: 'telegram', recipient: '7', message: 'Hello' };
  const conversations: ConversationListParams = { platform: 'telegram' };
  const { data, response }: { data: { message_id: string }; response: GatewayResponse } = await client.messages.send(params).withResponse();
  const reset: Date | undefined = response.rateLimit?.resetAt;
  const newest: string[] = (await client.conversations.list(conversations).autoPagingToArray({ limit: 3 })).map(({ id }) => id);
  if (error instanceof GatewayNotFoundError) return error.details.resource + data.message_id + newest.length + reset?.toISOString();
  // @ts-expect-error a list may be longer than what fits in memory
  await client.conversations.list().autoPagingToArray();
  // @ts-expect-error there is no such platform
  await client.messages.send({ platform: 'pigeon', recipient: '7', message: 'Hello' });
  // @ts-expect-error a recipient is needed
  await client.messages.send({ platform: 'telegram', message: 'Hello' });
  // @ts-expect-error there is no such parameter
  client.messages.list({ colour: 'blue' });
  if (error instanceof GatewayError && error.is('RATE_LIMIT_EXCEEDED')) return String((error.details.retry_after_seconds ?? 0) + 1);
  // @ts-expect-error the type tells which data there is
  if (event.type === 'ai.error') return event.data.sender;
  return event.type === 'message.received' ? event.data.sender.id : message.status;
}
`;

/** As much of Express as the README uses. */
const EXPRESS = `
declare module 'express' {
  interface Request { body: Buffer; headers: import('node:http').IncomingHttpHeaders }
  interface Response { status(code: number): this; send(body: string): this; sendStatus(code: number): this }
  type Handler = (request: Request, response: Response) => void;
  function express(): { post(path: string, ...handlers: Handler[]): void };
  namespace express { function raw(options: { type: string }): Handler }
  export default express;
}
`;

/** The examples of receivers in the README, in this order: they are compiled only. */
const RECEIVERS = ['express', 'fastify', 'test'];

const COMPILED = { strict: true, noEmit: true, target: 'es2023' };
const WITH_NODE = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

/** Ways to compile: [file of the configuration, what is in it]. */
const CONFIGURATIONS: Readonly<Record<string, object>> = {
  'tsconfig.node.json': {
    compilerOptions: {
      ...COMPILED,
      ...WITH_NODE,
      module: 'nodenext',
      skipLibCheck: true,
      paths: { fastify: [join(ROOT, 'node_modules/fastify/fastify.d.ts')] },
    },
    files: ['typed.mts', 'typed.cts', 'readme.mts', ...RECEIVERS.map((name) => `readme-${name}.mts`), 'express.d.ts'],
  },
  // Nothing of Node's, and the package's own declarations are checked as well.
  'tsconfig.bundler.json': {
    compilerOptions: { ...COMPILED, types: [], lib: ['es2023', 'dom'], module: 'esnext', moduleResolution: 'bundler' },
    files: ['typed.ts'],
  },
};

/** The TypeScript of the README: one program of all of it, but for the examples of receivers at its end. */
async function readmePrograms(): Promise<Record<string, string>> {
  const text = await readFile(join(ROOT, 'libs/client/README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block!);
  const receivers = blocks.splice(-RECEIVERS.length);
  const marks = [/from 'express'/, /from 'fastify'/, /signTestWebhook\(/];
  expect(receivers.map((block, index) => marks[index]!.test(block))).toEqual([true, true, true]);
  return {
    'readme.mts': blocks.join('\n'),
    ...Object.fromEntries(RECEIVERS.map((name, index) => [`readme-${name}.mts`, receivers[index]!])),
  };
}

describe('the package of the client', () => {
  let gateway: TestGateway;
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'client-package-')));
    const pack = run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(ROOT, 'libs/client') });
    gateway = await startTestGateway();
    const tarball = join(folder, (await pack).stdout.trim());
    const files = {
      ...(await readmePrograms()),
      'package.json': JSON.stringify({ name: 'consumer', private: true }),
      'program.cjs': `const { ${NAMES} } = require('@messaging-gateway/client');\n${PROGRAM}`,
      'program.mjs': `import { ${NAMES} } from '@messaging-gateway/client';\n${PROGRAM}`,
      'page.js': PAGE,
      'page-runner.cjs': PAGE_RUNNER,
      'vite.config.mjs': BUNDLER,
      'typed.mts': TYPED,
      'typed.cts': TYPED,
      'typed.ts': TYPED,
      'express.d.ts': EXPRESS,
      ...Object.fromEntries(Object.entries(CONFIGURATIONS).map(([name, value]) => [name, JSON.stringify(value)])),
    };
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    const dependency = join(ROOT, 'node_modules/eventsource-parser');
    // From what is here: a registry, or a cache of it, is not everywhere that tests are run.
    const install = ['install', '--offline', '--install-links', '--no-audit', '--no-fund', tarball, dependency];
    await run('npm', install, { cwd: folder });
  }, 120_000);

  const onTestEnd = [() => rm(folder, { recursive: true, force: true })];
  afterAll(() => Promise.all(onTestEnd.map((remove) => remove())));

  /** @returns what it printed */
  const node = (...args: string[]) => runWith(process.execPath, ...args);

  async function runWith(program: string, ...args: string[]): Promise<string> {
    const at = Math.floor(Date.now() / 1_000);
    const payload = '{"id":"evt_1"}';
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(at),
      'webhook-signature': signStandardWebhook('secret', 'evt_1', at, payload),
    };
    const env = {
      PATH: process.env['PATH'],
      GATEWAY_URL: gateway.url,
      GATEWAY_API_KEY: gateway.testKey,
      DELIVERY: JSON.stringify({ payload, headers }),
    };
    const { stdout, stderr } = await run(program, args, { cwd: folder, env });
    expect(stderr).toBe('');
    return stdout;
  }

  /** From a registry if the machine has none; outside the folder, which stays as a user's is. */
  async function downloadNode(major: number): Promise<string> {
    const place = join(folder, `../${basename(folder)}-node-${major}`);
    onTestEnd.push(() => rm(place, { recursive: true, force: true }));
    await run('npm', ['install', '--prefix', place, '--silent', '--no-audit', '--no-fund', `node@${major}`]);
    return join(place, 'node_modules/node/bin/node');
  }

  describe.each(NODES)('with Node %d', (major) => {
    const found = nodeOnMachine(major);
    const itWithNode = found !== undefined || isNodeOnRegistry(major) ? it : it.skip;
    let program: string;

    beforeAll(async () => void (program = found ?? (await downloadNode(major))), 120_000);

    itWithNode.each(['program.cjs', 'program.mjs'])('sends, lists, streams, signs and verifies in %s', async (file) => {
      expect(JSON.parse(await runWith(program, file))).toEqual({
        node: String(major),
        hasRequestId: true,
        hasRateLimit: true,
        statuses: [200, 404],
        signed: 'evt_2',
        isListed: true,
        isStreamed: true,
        isGatewayError: true,
        event: { id: 'evt_1' },
      });
    });
  });

  it('is one module, however it is imported', async () => {
    const script = `import { createRequire } from 'node:module';
      import { GatewayError } from '@messaging-gateway/client';
      console.log(createRequire(import.meta.url)('@messaging-gateway/client').GatewayError === GatewayError);`;
    await writeFile(join(folder, 'both.mjs'), script);
    expect(await node('both.mjs')).toBe('true\n');
  });

  it('contains README, licence and one dependency, and neither build tools nor tests', async () => {
    const installed = join(folder, 'node_modules/@messaging-gateway/client');
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, object>;
    const root = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
    // A client is made from the document of its gateway.
    expect(manifest['version']).toBe(root['version']);
    expect(Object.keys(manifest['dependencies']!)).toEqual(['eventsource-parser']);
    expect(await readFile(join(installed, 'README.md'), 'utf8')).toContain('# @messaging-gateway/client');
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('MIT');
    // npm also packs whatever begins with README or LICENSE.
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const lock = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lock) as { packages: object };
    expect(Object.keys(packages).sort()).toEqual([
      'node_modules/@messaging-gateway/client',
      'node_modules/eventsource-parser',
    ]);
  });

  it.each(Object.keys(CONFIGURATIONS))(
    'has its types in %s',
    async (configuration) => {
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [compiler, '-p', configuration], { cwd: folder }).catch(
        (failure: unknown) => failure as { stdout: string },
      );
      expect(stdout).toBe('');
    },
    120_000,
  );

  it('runs the examples of its README', async () => {
    const { stdout, stderr } = await run(process.execPath, ['readme.mts'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], GATEWAY_URL: gateway.url, GATEWAY_API_KEY: gateway.testKey },
    });
    expect(stdout).toContain('Your order has been shipped.');
    expect(stdout).toContain('inbound When do you open tomorrow?');
    // The one error that it provokes.
    expect(stderr).toMatch(/^telegram .*\n$/);
  });

  it('has a browser edition, in one file that imports nothing', async () => {
    const browser = join(folder, 'node_modules/@messaging-gateway/client/dist/browser.mjs');
    const text = await readFile(browser, 'utf8');
    expect(text).not.toMatch(/^import |require\(|node:/m);
    expect(await node('--conditions=browser', '--input-type=module', '-e', BROWSER_PROGRAM)).toBe(
      'true undefined undefined\n',
    );
  });

  it('can be bundled for browsers without Node modules, and works there', async () => {
    const bundler = join(ROOT, 'node_modules/vite/bin/vite.js');
    const { stdout, stderr } = await run(process.execPath, [bundler, 'build'], { cwd: folder });
    expect([stdout, stderr]).toEqual(['', '']);
    const bundle = await readFile(join(folder, 'page/page.bundle.js'), 'utf8');
    expect(bundle).not.toMatch(/require\(|node:|browser-external|\bBuffer\b/);
    expect(JSON.parse(await node('page-runner.cjs'))).toEqual({
      isListed: true,
      hasRequestId: true,
      isMissing: true,
      isStreamed: true,
      agents: [null],
    });
  });
});
