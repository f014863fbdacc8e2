import { setTimeout as sleep } from 'node:timers/promises';
import { toPublicId } from '#contracts';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';

const CONVERSATIONS = 200;
/** The provider answers within this: takeovers and the kill come in the middle. */
const ANSWERS_MS = 3_000;
/** A call to the platform that had begun arrives within this after a takeover. */
const BEGUN_MS = 1_000;

interface Answered {
  participant_id: string;
  handling: string;
  answers: number;
  due: boolean;
}

describe('takeovers of 200 conversations that are being answered, while one of two instances is killed', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let deployment: Deployment;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    deployment = await Deployment.create({ environment: 'live', telegram, anthropic, env: { AI_CONCURRENCY: '100' } });
  });

  afterAll(() => deployment.stop());

  it('prevent any send afterwards, and every other conversation is answered', async () => {
    const first = await deployment.startInstance();
    const second = await deployment.startInstance();
    await connected(first);
    anthropic.replyWith(async () => {
      await sleep(Math.random() * ANSWERS_MS);
      return 'We open at nine.';
    });
    const chats = Array.from({ length: CONVERSATIONS }, (_, index) => 1_000 + index);
    for (const chatId of chats) telegram.receiveText({ chatId, text: 'When do you open?' });
    const ids = await eventually(
      'all are stored',
      async () => {
        const rows = await deployment.sql<{ id: string; participant_id: string }>(
          'SELECT id, participant_id FROM conversations',
        );
        expect(rows).toHaveLength(CONVERSATIONS);
        return rows;
      },
      { timeoutMs: 60_000 },
    );
    // Every second one is taken over, by the instance that survives; the other dies in the middle.
    const takenAt = new Map<string, number>();
    const taken = ids.filter((_, index) => index % 2 === 0);
    for (const [index, { id, participant_id }] of taken.entries()) {
      if (index === taken.length / 2) first.child.kill('SIGKILL');
      const path = `/conversations/${toPublicId('conversation', id)}/handover`;
      expect((await second.api('POST', path)).status).toBe(200);
      takenAt.set(participant_id, Date.now());
    }
    await connected(second);
    const state = () =>
      deployment.sql<Answered>(
        `SELECT c.participant_id, c.handling,
           (SELECT count(*)::int FROM messages m WHERE m.conversation_id = c.id AND m.status IN ('sent', 'delivered')
              AND m.direction = 'outbound') AS answers,
           EXISTS (SELECT FROM reply_tasks r WHERE r.conversation_id = c.id AND r.next_at IS NOT NULL)
             OR EXISTS (SELECT FROM messages m WHERE m.conversation_id = c.id AND m.status = 'pending') AS due
         FROM conversations c`,
      );
    await eventually('nothing is due', async () => expect((await state()).filter(({ due }) => due)).toEqual([]), {
      timeoutMs: 120_000,
      everyMs: 500,
    });
    const late = telegram
      .requestsOf('sendMessage')
      .map(({ body, receivedAt }) => ({
        chat: String((body as { chat_id: number }).chat_id),
        at: receivedAt.getTime(),
      }))
      .filter(({ chat, at }) => at > (takenAt.get(chat) ?? Infinity) + BEGUN_MS);
    expect(late).toEqual([]);
    const rows = await state();
    expect(rows.filter(({ handling }) => handling === 'human')).toHaveLength(taken.length);
    expect(rows.filter(({ handling, answers }) => handling === 'assistant' && answers === 0)).toEqual([]);
    // Some were dropped, or the test shows nothing.
    expect(rows.filter(({ handling, answers }) => handling === 'human' && answers === 0)).not.toEqual([]);
  }, 300_000);

  function connected(instance: GatewayProcess): Promise<void> {
    return eventually(
      'Telegram is connected',
      async () => {
        const { body } = await instance.api<Record<string, { telegram: string }>>('GET', '/status?summary=true');
        expect(body.data['integrations']!.telegram).toBe('connected');
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
  }
});
