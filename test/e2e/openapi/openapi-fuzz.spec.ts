import { finishSchema } from '../../../src/core/database/data-source';
import * as fc from 'fast-check';
import { Pool } from 'undici';
import { DueDispatches } from '../../../src/webhooks/dispatch/due-dispatches.service';
import type { Contract, Exchange } from '../../openapi/contract';
import { isForLiveKeys, operationsOf, type Operation } from '../../openapi/document';
import { fuzzRequests, type FuzzContext, type FuzzRequest } from '../../openapi/fuzz-requests';
import { Schemas } from '../../openapi/schemas';
import { textOf } from '../../support/api';
import { contractOf } from '../../support/contract';
import { useGateway } from '../../support/gateway';
import { upload } from '../../support/media';
import { png } from '../../support/png';
import { resolveNoNames } from '../../support/no-names';

/** Of each operation; `FUZZ_RUNS` asks for more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 80);
/** The same each time, so that a change is judged by itself; `FUZZ_SEED` looks elsewhere. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);

// Some ten seconds on a quiet machine of two processors.
jest.setTimeout(300_000);

/** What a refused request of an operation could have left behind, as SQL that counts it or sums it up. */
const EFFECTS: Readonly<Record<string, string>> = {
  'attachments.upload': 'SELECT count(*) AS state FROM attachments',
  'messages.send': 'SELECT count(*) AS state FROM messages',
  'sandbox.play': `SELECT count(*) AS state FROM messages WHERE direction = 'inbound'`,
  'ai.generate': 'SELECT coalesce(sum(requests), 0) AS state FROM ai_usage',
  'apiKeys.create': 'SELECT count(*) AS state FROM api_keys',
  'apiKeys.update': `SELECT md5(string_agg(row(id, name, tier, expires_at, allowed_ips, requests_per_minute)::text, '' ORDER BY id)) AS state FROM api_keys`,
  'apiKeys.revoke': 'SELECT count(revoked_at) AS state FROM api_keys',
  'webhooks.create': 'SELECT count(*) AS state FROM webhooks',
  'webhooks.update': `SELECT md5(string_agg(row(id, url, events, status, secret)::text, '' ORDER BY id)) AS state FROM webhooks`,
  'webhooks.delete': 'SELECT count(*) AS state FROM webhooks',
  'webhooks.test': 'SELECT count(*) AS state FROM webhook_deliveries',
  'webhooks.redeliver': 'SELECT coalesce(sum(fence), 0) AS state FROM webhook_dispatches',
  'webhooks.replay': `SELECT count(*) + coalesce(sum(fence), 0) AS state FROM webhook_dispatches JOIN events e ON e.id = event_id WHERE e.type = 'message.received'`,
  'integrations.create': 'SELECT count(*) AS state FROM accounts WHERE deleted_at IS NULL',
  'integrations.update': `SELECT md5(string_agg(row(id, name, settings, enabled, is_default)::text, '' ORDER BY id)) AS state FROM accounts`,
  'integrations.delete': 'SELECT count(deleted_at) AS state FROM accounts',
  'integrations.reconnect': 'SELECT coalesce(sum(reconnect_request), 0) AS state FROM integrations',
  'conversations.update': `SELECT md5(string_agg(row(id, status, handling)::text, '' ORDER BY id)) AS state FROM conversations`,
  'conversations.takeOver': `SELECT md5(string_agg(row(conversation_id, assignee, note, resume_at)::text, '' ORDER BY conversation_id)) AS state FROM handovers`,
  'conversations.clear': 'SELECT coalesce(sum(cleared_seq), 0) AS state FROM conversations',
  'settings.update': `SELECT md5(string_agg(s::text, '' ORDER BY s::text)) AS state FROM settings s`,
};

/** Last, because of how others are answered after them: what they are about is off or gone, the assistant writes, limits change. */
const LAST = [
  'webhooks.update',
  'webhooks.delete',
  'tools.delete',
  'integrations.update',
  'integrations.delete',
  'apiKeys.revoke',
  'sandbox.play',
  'conversations.erase',
  'settings.update',
];

/** Bodies for operations whose fields exclude one another: what is drawn hardly ever gets through. */
const PLAIN: Readonly<Record<string, (ids: FuzzContext['ids']) => object>> = {
  'messages.send': () => ({ platform: 'telegram', recipient: '1', message: 'Hello' }),
  'sandbox.play': () => ({ platform: 'telegram', sender: { id: '48213907' }, content: 'Hello' }),
  'ai.preview': (ids) => ({ conversation_id: ids['conversation_id']![0], settings: { temperature: 0.5 } }),
};

const gateway = useGateway();
let contract: Contract;
let schemas: Schemas;
let pool: Pool;
let context: FuzzContext;
const answered = new Map<string, Set<number>>();
let sent = 0;

beforeAll(async () => {
  contract = await contractOf(gateway.url);
  schemas = Schemas.ofRequests(contract.document);
  pool = new Pool(gateway.url, { connections: 2 });
  resolveNoNames(gateway);
  await finishSchema(gateway.databaseUrl, { info: () => undefined, warn: () => undefined });
  // Nothing is delivered by itself: what happens to a dispatch is what a request does.
  gateway.app.get(DueDispatches).claim = () => Promise.resolve([]);
  const create = async (path: string, body: unknown = {}) =>
    (await gateway.api<Record<string, string>>('POST', path, body, { key: gateway.testKey })).body.data;
  await gateway.api(
    'PATCH',
    '/admin/settings',
    { rate_limits: { messages_per_minute: 100_000 }, ai: { auto_reply: false } },
    { key: gateway.testKey },
  );
  const ids: Record<string, string[]> = {
    message_id: [],
    conversation_id: [],
    webhook_id: [],
    delivery_id: [],
    key_id: [],
    event_id: [],
    problem_id: [],
    attachment_id: [],
    account_id: [],
    tool_id: [],
    'Last-Event-ID': [],
    last_event_id: [],
  };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  for (let index = 0; index < 6; index += 1) {
    const inbound = { platform: 'telegram', sender: { id: String(index) }, content: 'Hello' };
    const { message_id, conversation_id } = await create('/sandbox/inbound', inbound);
    const url = `https://hooks.example.com/${index}`;
    const webhook = await create('/webhooks', { url, events: ['message.received'] });
    const delivery = await create(`/webhooks/${webhook['id']}/test`);
    const key = await create('/admin/api-keys', { name: 'Key', scopes: ['read:status'] });
    const file = await upload(gateway, png(), { key: gateway.testKey });
    ids['attachment_id']!.push(file.body.data.id);
    const later = { platform: 'telegram', recipient: String(index), message: 'Later', send_at: tomorrow };
    const scheduled = await create('/messages/send', later);
    ids['message_id']!.push(index % 2 === 0 ? message_id! : scheduled['message_id']!);
    ids['event_id']!.push(delivery['event_id']!);
    ids['conversation_id']!.push(conversation_id!);
    ids['webhook_id']!.push(webhook['id']!);
    ids['delivery_id']!.push(delivery['id']!);
    ids['key_id']!.push(key['id']!);
    ids['Last-Event-ID']!.push(delivery['event_id']!);
    ids['last_event_id']!.push(delivery['event_id']!);
    const account = { platform: 'telegram', name: `Shop ${index}`, credentials: { bot_token: `70${index}:a` } };
    ids['account_id']!.push((await create('/integrations', account))['id']!);
    const tool = { name: `tool_${index}`, description: 'A tool.', parameters: { type: 'object' }, url };
    ids['tool_id']!.push((await create('/tools', tool))['id']!);
  }
  // A person who blocked the bot is a problem.
  await create('/messages/send', { platform: 'telegram', recipient: 'sandbox_blocked', message: 'Hello' });
  const { body } = await gateway.api<{ id: string }[]>('GET', '/problems', undefined, { key: gateway.testKey });
  ids['problem_id']!.push(...body.data.map(({ id }) => id));
  context = { document: contract.document, key: gateway.testKey, ids };
});

afterAll(() => pool.close());

async function send({ method, path, headers, body }: FuzzRequest): Promise<Exchange> {
  sent += 1;
  const answer = await pool.request({ method, path, headers, body });
  const text = await textOf(answer, method);
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return {
    method,
    path,
    status: answer.statusCode,
    headers: answer.headers,
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

function plainRequests({ operationId, method, path }: Operation): [FuzzRequest][] {
  const value = PLAIN[operationId]?.(context.ids);
  if (!value) return [];
  const headers = { authorization: `Bearer ${context.key}`, 'content-type': 'application/json' };
  return [[{ method, path, headers, value, body: JSON.stringify(value) }]];
}

const stateOf = async (operation: Operation): Promise<string | undefined> => {
  const sql = EFFECTS[operation.operationId];
  return sql === undefined ? undefined : (await gateway.sql<{ state: string }>(sql))[0]!.state;
};

/** Whether the document says of the body that it is not one of the operation's. */
function isRefusedByDocument({ requestBody }: Operation, { value, broken }: FuzzRequest): boolean {
  if (!broken?.endsWith('in the body')) return false;
  return (
    schemas.fault(requestBody!.content['application/json']!.schema, JSON.parse(JSON.stringify(value ?? null))) !==
    undefined
  );
}

/** What a document cannot say: it depends on what is stored, on two fields together, or on what runs. */
const EXCUSES: readonly RegExp[] = [
  /must not be before start_date/,
  /path must be a route, unless/,
  /reply_to/,
  /address not allowed/,
  /url is registered already/,
  /webhooks.max_endpoints/,
  /"PLATFORM_NOT_CONNECTED"/,
  /"the webhook is (disabled|failed)/,
  /"the key is (expired|revoked)/,
  /the Idempotency-Key was used for another request/,
  /"(?:message|content) is required\./,
  /must be omitted if there (?:is|are)/,
  /"interactive","reason":"cannot be sent/,
  /must not be true for a message with send_at/,
  /"send_at","reason":"must (?:not be in the past|be at most 30 days ahead)/,
  /is for WhatsApp only/,
  /"template\.(?:name|parameters)/,
  /only a scheduled message can be cancelled/,
  /must be the id of a/,
  /"q must contain a letter or a digit|"time_zone must be the IANA name/,
  /the assistant is off|is answered already|the assistant does not have the conversation/,
  /"name is registered already|an environment has at most 64 tools|is reserved|"parameter":"parameters"/,
  /an environment has at most 50 accounts/,
  /is the name of another account|already is an account|must be the id or the name of an account/,
  /make another account the default|must be of the same bot or number/,
  /must name an option of a message that was sent there/,
];

/** Whether the answer is a 400 for which there is no excuse. */
function isNeedless({ status, body }: Exchange): boolean {
  return status === 400 && !EXCUSES.some((excuse) => excuse.test(JSON.stringify(body)));
}

/** Fails with the smallest request that fast-check found. */
function assertHeld(run: fc.RunDetails<[FuzzRequest]>): void {
  if (!run.failed) return;
  const cause = String((run.errorInstance as Error | null)?.message ?? run.errorInstance).slice(0, 3_000);
  throw new Error(
    `FUZZ_SEED=${run.seed}: ${run.counterexample ? shown(run.counterexample[0]) : 'no example'}\n${cause}`,
  );
}

/** What a failure shows of a request, beside the seed that repeats it. */
function shown({ method, path, headers, body, broken }: FuzzRequest): string {
  const text = body === undefined ? '' : JSON.stringify(body.toString()).slice(0, 1_000);
  return `${method} ${path.slice(0, 500)} (${broken ?? 'as documented'}) ${JSON.stringify(headers)} ${text}`;
}

async function holds(operation: Operation, request: FuzzRequest): Promise<void> {
  const before = await stateOf(operation);
  const answer = await send(request);
  if (answer.status >= 500) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  contract.check(answer);
  const refused = answer.status >= 400;
  const after = await stateOf(operation);
  if (refused && after !== before) throw new Error(`it was refused, and yet had an effect: ${before} → ${after}`);
  const needsKey = contract.operationOf(request.method, request.path)?.security!.length;
  if (request.broken === 'key' && needsKey && answer.status !== 401) throw new Error('without a key it is not a 401');
  if (request.broken === 'method' && !refused) throw new Error('the method is not one of the document');
  if (isRefusedByDocument(operation, request) && !refused) throw new Error('by the document it is to be refused');
  if (request.broken === undefined) {
    if (isNeedless(answer)) throw new Error(`as documented, and yet refused: ${JSON.stringify(answer.body)}`);
    answered.set(operation.operationId, (answered.get(operation.operationId) ?? new Set()).add(answer.status));
  }
}

it('fuzzed requests get documented responses, and rejected ones have no effect', async () => {
  process.stdout.write(`  fuzz: seed ${SEED}, ${RUNS} requests to each operation\n`);
  const startedAt = performance.now();
  const place = ({ operationId }: Operation) => LAST.indexOf(operationId);
  const operations = operationsOf(contract.document)
    .filter((operation) => operation.path.startsWith('/api/') && !isForLiveKeys(operation))
    .toSorted((a, b) => place(a) - place(b));
  for (const operation of operations) {
    const property = fc.asyncProperty(fuzzRequests(operation, context), (request) => holds(operation, request));
    assertHeld(await fc.check(property, { seed: SEED, numRuns: RUNS, examples: plainRequests(operation) }));
  }
  // The requests that are as documented do get through, each operation's.
  const neverDone = operations.filter(
    ({ operationId, security }) =>
      // No request guesses the code of the first start, the assistant is off here, and a path names a platform or an account.
      security!.length > 0 &&
      !['conversations.answer', 'integrations.reconnect'].includes(operationId) &&
      ![...answered.get(operationId)!].some((status) => status < 300),
  );
  expect(neverDone.map(({ operationId }) => operationId)).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  process.stdout.write(`  fuzz: ${sent} requests in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
});
