import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolCallDto } from '../../src/ai/tools/dto/tool.dto';
import { AnthropicFake } from '../fakes/anthropic.fake';
import type { Reaction } from '../fakes/receiver.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { anthropicModel, type ToolModel } from '../support/tool-models';
import { Deployment } from './deployment';

const CONVERSATIONS = 100;
/** The model and the receiver answer within this: a kill meets conversations at every step. */
const ANSWERS_MS = 400;
/** So many conversations have come to the step when the instance that works on them is killed. */
const KILLED_AT = 20;
const HOSTS = ['127.0.0.1', 'localhost'] as const;
const STEPS = [
  'the model is asked',
  'the call arrives',
  'the receiver has answered',
  'the model has the result',
  'the answer is sent',
] as const;
type Step = (typeof STEPS)[number];

const ANSWER = 'It is at sea.';

let telegram: TelegramFake;
let model: ToolModel;
let deployment: Deployment;
const env = { AI_CONCURRENCY: '100', WEBHOOK_HOST_RATE: '0' };

const texts = () => Map.groupBy(telegram.sent, ({ chat_id }) => Number(chat_id));

async function createTool(instance: GatewayProcess, name: string, timeout_seconds = 5): Promise<string> {
  const parameters = { type: 'object', properties: { order_id: { type: 'string' } } };
  const tool = { name, description: 'A tool.', parameters, url: deployment.receiver.url(`/${name}`), timeout_seconds };
  const { status, body } = await instance.api<{ id: string }>('POST', '/tools', tool);
  expect(status).toBe(201);
  return body.data.id;
}

beforeAll(async () => {
  telegram = await new TelegramFake().start();
  const anthropic = await new AnthropicFake().start();
  model = anthropicModel(anthropic);
  deployment = await Deployment.create({ environment: 'live', telegram, anthropic, env });
});
afterAll(() => deployment.stop());

describe('one of two instances that is killed (SIGKILL) while tools are called in 100 conversations', () => {
  const instances: GatewayProcess[] = [];
  let reached: (step: Step) => void = () => undefined;

  /** Each calls Telegram by a host name of its own, so that its requests tell which process it is. */
  const start = async (index: number) => {
    const TELEGRAM_API_ROOT = telegram.url.replace('127.0.0.1', HOSTS[index]!);
    instances[index] = await deployment.startInstance({ TELEGRAM_API_ROOT });
  };
  /** The instance that receives works on what it received. */
  const working = () => {
    const { host } = telegram.requestsOf('getUpdates').at(-1)!.headers;
    return HOSTS.findIndex((name) => host!.startsWith(name));
  };

  beforeAll(async () => {
    await start(0);
    await start(1);
    await createTool(instances[0]!, 'order_status');
    telegram.delay(50, 'sendMessage');
    model.script(async ({ rounds }) => {
      reached(rounds > 0 ? 'the model has the result' : 'the model is asked');
      await sleep(Math.random() * ANSWERS_MS);
      return rounds > 0 ? ANSWER : { text: '', tools: [{ name: 'order_status', input: { order_id: '7' } }] };
    });
    deployment.receiver.react((_, response) => {
      reached('the call arrives');
      response.on('finish', () => reached('the receiver has answered'));
      setTimeout(() => response.end('at sea'), Math.random() * ANSWERS_MS);
    }, '/order_status');
    await eventually('Telegram is polled', () => expect(telegram.requestsOf('getUpdates')).not.toEqual([]), {
      timeoutMs: 60_000,
    });
  }, 120_000);
  afterAll(() => Promise.all(instances.map((instance) => instance.kill())));

  it.each(STEPS)(
    'when %s: every call has one id, and every person one answer',
    async (step) => {
      const from = deployment.receiver.posts.length;
      const chats = Array.from({ length: CONVERSATIONS }, (_, index) => 1_000 * (1 + STEPS.indexOf(step)) + index);
      const killed = Promise.withResolvers<{ index: number; at: Date }>();
      const counts = new Map<Step, number>();
      reached = (at) => {
        counts.set(at, (counts.get(at) ?? 0) + 1);
        if (at !== step || counts.get(at) !== KILLED_AT) return;
        const index = working();
        instances[index]!.child.kill('SIGKILL');
        killed.resolve({ index, at: new Date() });
      };
      for (const chatId of chats) telegram.receiveText({ chatId, text: 'Where is my order?' });
      if (step === 'the answer is sent') {
        await telegram.waitForSent(telegram.sent.length + KILLED_AT, 30_000);
        for (let count = 0; count < KILLED_AT; count += 1) reached(step);
      }
      const { index, at } = await killed.promise;
      await start(index);
      await eventually(
        'every person has an answer, and nothing is left to do',
        async () => {
          expect(chats.filter((chat) => !texts().has(chat))).toEqual([]);
          const open = `SELECT 1 FROM reply_tasks WHERE next_at IS NOT NULL UNION ALL SELECT 1 FROM message_tasks`;
          expect(await deployment.sql(open)).toEqual([]);
        },
        { timeoutMs: 90_000, everyMs: 200 },
      );
      const posts = deployment.receiver.posts
        .slice(from)
        .map(({ raw }) => JSON.parse(raw) as { id: string; participant: { id: string }; arguments: object });
      const idsOf = Map.groupBy(posts, ({ participant }) => Number(participant.id));
      expect([...idsOf.keys()].toSorted((one, other) => one - other)).toEqual(chats);
      const several = [...idsOf.values()].filter(
        (calls) => new Set(calls.map((call) => JSON.stringify(call))).size > 1,
      );
      expect(several).toEqual([]);
      const answers = await deployment.sql<{ participant_id: string; count: number }>(
        `SELECT c.participant_id, count(*)::int FROM messages m JOIN conversations c ON c.id = m.conversation_id
         WHERE m.ai_model IS NOT NULL AND c.participant_id::bigint BETWEEN ${chats[0]} AND ${chats.at(-1)} GROUP BY 1`,
      );
      expect(answers.filter(({ count }) => count !== 1)).toEqual([]);
      const calls = await deployment.sql<{ status: string }>('SELECT DISTINCT status FROM tool_calls');
      expect(calls).toEqual([{ status: 'success' }]);
      const twice = chats.filter((chat) => texts().get(chat)!.length > 1);
      const repeated = posts.length - CONVERSATIONS;
      process.stdout.write(`  ${step}: ${repeated} calls repeated, ${twice.length} answers sent twice\n`);
      // Only a send that was under way at the kill may be made twice.
      const sends = telegram.requestsOf('sendMessage');
      const begun = new Set(
        sends
          .filter(({ receivedAt }) => Math.abs(receivedAt.getTime() - at.getTime()) < 1_000)
          .map(({ body }) => Number(body['chat_id'])),
      );
      expect(twice.filter((chat) => !begun.has(chat))).toEqual([]);
    },
    180_000,
  );
});

describe('a hostile receiver of calls', () => {
  const PEOPLE = 25;
  const FLOOD = Buffer.alloc(65_536, 'x');
  const FORGED = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nforged';
  const flooded: number[] = [];

  const flood = (response: ServerResponse, begin: () => void) => {
    const socket = response.socket!;
    begin();
    const more = () => {
      while (!socket.destroyed && socket.write(FLOOD));
    };
    socket.on('drain', more).on('close', () => flooded.push(socket.bytesWritten));
    more();
  };
  const raw = (response: ServerResponse, text: string) => response.socket!.write(text);
  const RECEIVERS: Readonly<Record<string, { react: Reaction; status: string; result: string | null }>> = {
    hangs: { react: () => undefined, status: 'timed_out', result: null },
    drips: {
      react: (_, response) => {
        const timer = setInterval(() => response.write('x'), 100);
        response.on('close', () => clearInterval(timer));
      },
      status: 'timed_out',
      result: null,
    },
    floods: {
      react: (_, response) => flood(response, () => void raw(response, 'HTTP/1.1 200 OK\r\n\r\n')),
      status: 'failed',
      result: null,
    },
    floods_head: {
      react: (_, response) => flood(response, () => void raw(response, 'HTTP/1.1 200 OK\r\nx-long: ')),
      status: 'failed',
      result: null,
    },
    says_more: {
      react: (_, response) => {
        raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort');
        response.socket!.end();
      },
      status: 'failed',
      result: null,
    },
    says_less: {
      react: (_, response) => void raw(response, `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nshort${FORGED}`),
      status: 'success',
      result: 'short',
    },
    redirects: {
      react: (_, response) => response.writeHead(302, { location: deployment.receiver.url('/elsewhere') }).end('moved'),
      status: 'failed',
      result: null,
    },
  };
  let instance: GatewayProcess;

  const residentMiB = async () => {
    const status = await readFile(`/proc/${instance.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_024;
  };
  /** Resolves with the milliseconds until all have their answers. */
  const answered = async (chats: readonly number[], timeoutMs: number) => {
    const startedAt = performance.now();
    await eventually(
      'every person has an answer',
      () => expect(chats.filter((chat) => !texts().has(chat))).toEqual([]),
      { timeoutMs, everyMs: 50 },
    );
    return Math.round(performance.now() - startedAt);
  };

  beforeAll(async () => {
    instance = await deployment.startInstance();
    const { body } = await instance.api<{ id: string }[]>('GET', '/tools');
    for (const { id } of body.data) await instance.api('DELETE', `/tools/${id}`);
    telegram.delay(0, 'sendMessage');
  }, 60_000);

  it.each(Object.entries(RECEIVERS))(
    'that %s: every person is answered, in bounded time and memory',
    async (name, { react, status, result }) => {
      const id = await createTool(instance, name, 2);
      deployment.receiver.react(react, `/${name}`);
      model.script(({ rounds }) =>
        rounds > 0 ? 'I cannot see it.' : { text: '', tools: [{ name, input: { order_id: '7' } }] },
      );
      const before = await residentMiB();
      const base = 100_000 + 1_000 * Object.keys(RECEIVERS).indexOf(name);
      const chats = Array.from({ length: PEOPLE }, (_, index) => base + index);
      for (const chatId of chats) telegram.receiveText({ chatId, text: `Call ${name}` });
      // 8 calls at once, each for 2 seconds.
      const ms = await answered(chats, 30_000);
      const grown = Math.round((await residentMiB()) - before);
      process.stdout.write(`  ${name}: ${PEOPLE} answers in ${ms} ms, ${grown} MiB more\n`);
      const { body } = await instance.api<ToolCallDto[]>('GET', `/tools/${id}/calls?per_page=100`);
      expect(body.data.map((call) => ({ status: call.status, result: call.result }))).toEqual(
        Array.from({ length: PEOPLE }, () => ({ status, result })),
      );
      expect(grown).toBeLessThan(96);
      const floods = name.startsWith('floods') ? PEOPLE : 0;
      await eventually('every flood has ended', () => expect(flooded).toHaveLength(floods));
      // Bytes in the sockets of both sides count as written.
      expect(Math.max(0, ...flooded.splice(0))).toBeLessThan(8 * 1_048_576);
      expect(deployment.receiver.postsTo('/elsewhere')).toEqual([]);
    },
    90_000,
  );

  it('that hangs in every round: the person is answered within 90 seconds', async () => {
    await createTool(instance, 'slow', 30);
    deployment.receiver.react(() => undefined, '/slow');
    model.script(({ mayCall, rounds }) =>
      mayCall ? { text: '', tools: [{ name: 'slow', input: { order_id: String(rounds) } }] } : 'I cannot see it.',
    );
    telegram.receiveText({ chatId: 200_000, text: 'Call slow' });
    const ms = await answered([200_000], 90_000);
    process.stdout.write(`  slow: an answer after ${ms} ms\n`);
    expect(ms).toBeGreaterThan(50_000);
  }, 120_000);
});
