import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';

/** Longer than the leases of a reply and of a send (15 s), so that the other process takes over. */
const STOPPED_MS = 18_000;
/** Each meets the stop at another stage of its answer. */
const PEOPLE = 40;
/** The provider answers within this: the stop comes in the middle. */
const ANSWERS_MS = 600;
const ROUNDS = 3;
const HOSTS = ['127.0.0.1', 'localhost'] as const;

/** What counts is the writes after the process goes on: one that was under way when it was stopped may be made twice. */
describe('one of two processes that is stopped (SIGSTOP) for 18 s while it answers', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let deployment: Deployment;
  const instances: GatewayProcess[] = [];
  /** What the process that was not stopped sent meanwhile, in all rounds. */
  let takenOver = 0;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    deployment = await Deployment.create({ environment: 'live', telegram, anthropic });
    // Each by a name of its own, so that a request tells which process wrote it.
    for (const host of HOSTS) {
      const TELEGRAM_API_ROOT = telegram.url.replace('127.0.0.1', host);
      instances.push(await deployment.startInstance({ TELEGRAM_API_ROOT }));
    }
    // The fake cuts what is longer than it is asked for.
    await instances[0]!.api('PATCH', '/admin/settings', { ai: { max_tokens: 4_000 } });
    await eventually(
      'both see Telegram connected',
      async () => {
        for (const instance of instances) {
          const { body } = await instance.api<Record<string, { telegram: string }>>('GET', '/status?summary=true');
          expect(body.data['integrations']!.telegram).toBe('connected');
        }
      },
      { timeoutMs: 40_000, everyMs: 100 },
    );
  }, 120_000);

  afterAll(async () => {
    for (const { child } of instances) child.kill('SIGCONT');
    await deployment.stop();
  });

  /** Every part that a process wrote between two moments, as `chat: text`. */
  const writesOf = (index: number, from: Date, to: Date = new Date()) =>
    telegram
      .requestsOf('sendMessage')
      .filter(
        ({ headers, receivedAt }) => headers.host!.startsWith(HOSTS[index]!) && receivedAt >= from && receivedAt < to,
      )
      .map(({ body }) => `${String(body['chat_id'])}: ${String(body['text']).slice(0, 40)}`);

  const answered = (chats: readonly number[]) =>
    eventually(
      'every person is answered, and nothing is left to do',
      async () => {
        const got = new Set(telegram.sent.map(({ chat_id }) => Number(chat_id)));
        expect(chats.filter((chat) => !got.has(chat))).toEqual([]);
        const open = await deployment.sql(
          `SELECT 1 FROM reply_tasks WHERE next_at IS NOT NULL UNION ALL SELECT 1 FROM message_tasks
           UNION ALL SELECT 1 FROM messages WHERE status = 'pending'`,
        );
        expect(open).toEqual([]);
      },
      { timeoutMs: 60_000, everyMs: 200 },
    );

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'sends nothing afterwards that the other has sent, round %i',
    async (round) => {
      // Two parts: a process that is stopped between them must not write the second.
      const long = (text: string) => `${text} first\n\n${'x'.repeat(4_090)}\n\n${text} second`;
      anthropic.replyWith(async ({ messages }) => {
        await sleep(Math.random() * ANSWERS_MS);
        return long(`answer to ${JSON.stringify(messages.at(-1)!.content).length}`);
      });
      telegram.delay(100, 'sendMessage');
      const chats = Array.from({ length: PEOPLE }, (_, index) => 1_000 * (round + 1) + index);
      const beganAt = new Date();
      for (const chatId of chats) telegram.receiveText({ chatId, text: `question ${chatId}` });
      await telegram.waitForSent(telegram.sent.length + 5, 20_000);
      const [index, other] = round % 2 === 0 ? [0, 1] : [1, 0];
      instances[index]!.child.kill('SIGSTOP');
      await sleep(STOPPED_MS);
      const continuedAt = new Date();
      instances[index]!.child.kill('SIGCONT');
      await answered(chats);
      const meanwhile = writesOf(other, beganAt, continuedAt);
      const before = writesOf(index, beganAt, continuedAt);
      const afterwards = writesOf(index, continuedAt);
      const again = afterwards.filter((write) => meanwhile.includes(write));
      process.stdout.write(
        `  round ${round}: ${before.length} parts before the stop, ${meanwhile.length} by the other meanwhile, ` +
          `${afterwards.length} afterwards, ${again.length} of them again\n`,
      );
      takenOver += meanwhile.length;
      expect(again).toEqual([]);
      expect(new Set([...before, ...writesOf(other, beganAt), ...afterwards]).size).toBeGreaterThanOrEqual(2 * PEOPLE);
    },
    120_000,
  );

  it('leaves its work to the other', () => {
    expect(takenOver).toBeGreaterThan(PEOPLE);
  });
});
