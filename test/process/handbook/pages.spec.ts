import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDocument } from '../../client/api-types';
import { OpenAiFake } from '../../fakes/openai.fake';
import { LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { operationsOf, type OpenApiDocument } from '../../openapi/document';
import { runCommand } from '../../support/command';
import { processEnvironment, ROOT } from '../../support/environment';
import { eventually } from '../../support/eventually';
import { lastingPort } from '../../support/lasting-port';
import { GatewayProcess } from '../../support/process';
import { isComplete, PAGES, requestsOf, scriptOf, type PageRequest } from './page-parts';

jest.setTimeout(120_000);

/** Pages that name operations without showing how to call them. */
const REFERENCE = /(?:scopes|limits|errors|lifecycle|performance|metrics)\.md$/;

/** A request that is refused ends the script. `gateway` is the built command line; the gateway is started already. */
const PRELUDE = `set -e
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
gateway() { [ "$1" = start ] || node -- "$ROOT/dist/bundle/cli.js" "$@"; }
npm() { shift 3; gateway "$@"; }
`;

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('the handbook', () => {
  /** Plays every server of the pages: accepts events and calls, and has a file. */
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"open": "9 to 6"}'),
  );
  let serverUrl: string;
  const openai = new OpenAiFake();
  let gateway: GatewayProcess;
  let folder: string;
  let keys: { live: string; test: string };
  /** Path of a resource → the id of one that exists. */
  let ids: Record<string, string>;
  let backup: string;

  async function call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await gateway.api<Data>(method, path, body, { key: keys.test });
    expect([method, path, answer.body.error]).toEqual([method, path, undefined]);
    return answer.body.data;
  }
  const create = async (path: string, body: unknown) => (await call<{ id: string }>('POST', path, body)).id;

  /** A text of a page with values instead of its placeholders. */
  const filledIn = (text: string) =>
    text
      .replaceAll('https://example.com', serverUrl)
      .replaceAll('http://127.0.0.1:3000', gateway.url)
      .replaceAll(/service_sk_(live|test)_…/g, (_, environment: 'live' | 'test') => keys[environment])
      .replaceAll('/backups/gateway-', join(folder, 'gateway-'))
      .replaceAll(/gateway-[\w-]+…\.tar\.zst/g, backup)
      .replaceAll(/att_\w{26}/g, ids['/attachments']!)
      .replaceAll(/"send_at": "[^"]*"/g, `"send_at": "${inAnHour()}"`)
      .replaceAll('conv_…', ids['/conversations']!)
      .replaceAll('"base_url": null', `"base_url": "${openai.baseUrl}"`)
      .replaceAll('sk-…', openai.apiKey)
      .replaceAll('123456:ABC…', '123456:first')
      // Also the token of the account that exists.
      .replaceAll('…', '7001:second');

  beforeAll(async () => {
    await openai.start();
    serverUrl = `http://127.0.0.1:${await listen()}`;
    const env = { BOOTSTRAP_API_KEY: undefined, AI_ALLOWED_CIDRS: '127.0.0.0/8', ...LOCAL_RECEIVERS };
    gateway = await GatewayProcess.start({ openai, env });
    const [live, test] = readFileSync(join(gateway.dataDir, 'first-keys'), 'utf8').match(/service_sk_\w+/g)!;
    keys = { live, test: test! };
    folder = mkdtempSync(join(tmpdir(), 'handbook-'));
    writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.4\n%%EOF\n');
    ids = await createResources();
    const made = await runCommand({ DATA_DIR: gateway.dataDir }, 'backup', 'create', '--json');
    ids['/admin/backups'] = (JSON.parse(made.stdout) as { id: string }).id;
    [backup] = readdirSync(join(gateway.dataDir, 'backups')).filter((file) => file.endsWith('.tar.zst')) as [string];
    copyFileSync(join(gateway.dataDir, 'backups', backup), join(folder, backup));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function listen(): Promise<number> {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function createResources(): Promise<Record<string, string>> {
    const ada = { platform: 'telegram', sender: { id: '48213907', name: 'Ada' }, content: 'Hello' };
    const inbound = await call<{ message_id: string; conversation_id: string }>('POST', '/sandbox/inbound', ada);
    await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'Hello' });
    const form = new FormData();
    form.append('file', new Blob(['%PDF-1.4\n%%EOF\n']), 'terms.pdf');
    const headers = { authorization: `Bearer ${keys.test}` };
    const upload = await fetch(`${gateway.url}/api/v1/media`, { method: 'POST', headers, body: form });
    const timeline = await call<{ data: { event_id?: string } }[]>('GET', `/messages/${inbound.message_id}/timeline`);
    const [problem] = await call<{ id: string }[]>('GET', '/problems');
    const hours = { name: 'hours', description: 'Hours.', parameters: { type: 'object' }, url: `${serverUrl}/hours` };
    const second = { platform: 'telegram', name: 'Second', credentials: { bot_token: '7001:second' } };
    return {
      '/messages': inbound.message_id,
      '/conversations': inbound.conversation_id,
      '/attachments': ((await upload.json()) as { data: { id: string } }).data.id,
      '/events': timeline.find(({ data }) => data.event_id)!.data.event_id!,
      '/problems': problem!.id,
      '/webhooks': await create('/webhooks', { url: `${serverUrl}/events`, events: ['*'] }),
      '/tools': await create('/tools', hours),
      '/integrations': await create('/integrations', second),
      '/admin/api-keys': await create('/admin/api-keys', { name: 'Monitoring', scopes: ['read:status'] }),
      '/ai/providers': 'openai',
    };
  }

  /** Runs a script in a folder of its own. @returns what it printed; with its exit code if it failed */
  function run(script: string, env: NodeJS.ProcessEnv): Promise<{ code: unknown; output: string }> {
    const variables = { ROOT, API: `${gateway.url}/api/v1`, DATA_DIR: gateway.dataDir, ...LOCAL_RECEIVERS };
    const options = { cwd: folder, env: { ...processEnvironment(), ...variables, ...env } };
    return new Promise((resolve) => {
      execFile('bash', ['-c', PRELUDE + script], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });
  }

  it.each(PAGES.filter(([, text]) => scriptOf(text) !== ''))('shows commands that work: %s', async (path, text) => {
    const { code, output } = await run(filledIn(scriptOf(text)), {
      // The sandbox has no providers of models.
      KEY: path === 'docs/models.md' ? keys.live : keys.test,
      // A restore needs an empty database.
      ...(path === 'docs/backups.md' && { DATA_DIR: join(folder, 'restored') }),
    });
    expect(code === 0 ? '' : output).toBe('');
    expect(output).not.toContain('"status":"failed"');
  });

  it('names requests that succeed', async () => {
    const operations = operationsOf((await apiDocument()) as unknown as OpenApiDocument);
    const requests = PAGES.filter(([path]) => !REFERENCE.test(path)).flatMap(([, text]) => requestsOf(text));
    const distinct = new Map(requests.map((request) => [JSON.stringify(request), request]));
    const possible = [...distinct.values()].filter((request) => isComplete(operations, request));
    // Deletions come last: the others need what they delete.
    const isDeletion = ({ method }: PageRequest) => method === 'DELETE';
    const ordered = [...possible.filter((each) => !isDeletion(each)), ...possible.filter(isDeletion)];
    const later = { platform: 'telegram', recipient: '48213907', message: 'Later', send_at: inAnHour() };
    const { message_id } = await call<{ message_id: string }>('POST', '/messages/send', later);
    const refused: string[] = [];
    for (const { method, path, body } of ordered) {
      // Only a scheduled message can be cancelled.
      const known = method === 'DELETE' ? { ...ids, '/messages': message_id } : ids;
      const target = path.replace(/^(.*?)\/\{\w+\}/, (_, resource: string) => `${resource}/${known[resource]}`);
      const key = /^\/(?:admin\/backups|ai\/providers)/.test(path) ? keys.live : keys.test;
      const { status, body: answer } = await gateway.api(method, target, body && filledIn(body), { key });
      const { status: outcome } = Object(answer.data) as { status?: string };
      if (status >= 300 || (method === 'POST' && outcome === 'failed'))
        refused.push(`${method} ${target} ${body ?? ''}: ${JSON.stringify(answer)}`);
    }
    expect(refused).toEqual([]);
    // Guards the patterns that find the requests.
    expect(possible.length).toBeGreaterThan(40);
  });

  it('shows a receiver of tools that verifies a call and answers it', async () => {
    const text = PAGES.find(([path]) => path === 'docs/tools.md')![1];
    const [, source] = /```js\n([^]*?)```/.exec(text)!;
    const port = await lastingPort();
    const tool = await call<{ id: string; secret: string }>('POST', '/tools', {
      name: 'shipping',
      description: 'Looks up where an order is.',
      parameters: { type: 'object', properties: { order_id: { type: 'string' } } },
      url: `http://127.0.0.1:${port}/`,
    });
    writeFileSync(join(folder, 'receiver.mjs'), source!.replace('8080', String(port)));
    const child = spawn('node', [join(folder, 'receiver.mjs'), tool.secret], { env: processEnvironment() });
    try {
      const result = await eventually('the receiver answers', async () => {
        const test = await call<{ status: string; result: string }>('POST', `/tools/${tool.id}/test`, {
          arguments: { order_id: '1042' },
        });
        expect(test.status).toBe('success');
        return test;
      });
      expect(JSON.stringify(result)).toContain('at sea');
      expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});
