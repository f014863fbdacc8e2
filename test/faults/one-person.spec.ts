import { setTimeout as sleep } from 'node:timers/promises';
import { toPublicId } from '#contracts';
import type { SendResultDto } from '../../src/messages/dto/message.dto';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';

const PEOPLE = 200;
/** Colleagues who write at the same time. */
const COLLEAGUES = 8;
/** The provider answers within this: takeovers and the kills come in the middle. */
const ANSWERS_MS = 3_000;
/** A call to the platform that had begun arrives within this after a takeover. */
const BEGUN_MS = 1_000;
const ANSWER = 'We open at nine.';
const TIMES = { timeoutMs: 120_000, everyMs: 500 };

interface Person {
  /** The number that colleagues write to, and the one that WhatsApp knows: the person answers from it. */
  asked: string;
  known: string;
  takenAt: number;
}

describe('200 people who answer from their other number, while colleagues take over and instances are killed', () => {
  const whatsapp = new WhatsAppFake();
  let anthropic: AnthropicFake;
  let deployment: Deployment;
  /** Those that run; a colleague uses the last one. */
  const instances: GatewayProcess[] = [];

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    await whatsapp.start();
    const env = { ...whatsapp.env, AI_CONCURRENCY: '100' };
    deployment = await Deployment.create({ environment: 'live', anthropic, env });
  });

  afterAll(async () => {
    await deployment.stop();
    await whatsapp.shutDown();
  });

  it('get no answer after a takeover, and each has one open conversation', async () => {
    await startInstance();
    await startInstance();
    anthropic.replyWith(async () => {
      await sleep(Math.random() * ANSWERS_MS);
      return ANSWER;
    });
    const people = Array.from({ length: PEOPLE }, (_, index): Person => {
      const [asked, known] = [`55119${80_000_000 + index}`, `5511${80_000_000 + index}`];
      whatsapp.waIds.set(asked, known);
      return { asked, known, takenAt: Infinity };
    });
    // Half of them wrote before, so that both numbers have a conversation.
    for (const { known } of people.filter((_, index) => index % 2 === 0)) write(known, 'When do you open?');

    const waiting = [...people];
    const work = async (): Promise<void> => {
      for (let person; (person = waiting.shift());) {
        await takeOver(person);
        write(person.known, 'And on Sunday?');
      }
    };
    const working = Promise.all(Array.from({ length: COLLEAGUES }, work));
    for (const left of [(PEOPLE * 3) / 4, PEOPLE / 4]) {
      await eventually('colleagues have written', () => expect(waiting.length).toBeLessThanOrEqual(left), TIMES);
      await killOne();
    }
    await working;
    for (const { known } of people) write(known, 'Hello?');
    await settled(people);

    const late = whatsapp.sent.filter(({ to, params, at }) => {
      const person = people.find(({ asked, known }) => to === asked || to === known);
      return JSON.stringify(params).includes(ANSWER) && at.getTime() > person!.takenAt + BEGUN_MS;
    });
    expect(late).toEqual([]);
    const open = await deployment.sql<{ participant_id: string; handling: string }>(
      'SELECT participant_id, handling FROM conversations WHERE merged_into IS NULL',
    );
    expect(open.map(({ participant_id }) => participant_id).toSorted()).toEqual(people.map(({ known }) => known));
    expect(open.filter(({ handling }) => handling !== 'human')).toEqual([]);
    // Some conversations were merged, and some answers came before the takeovers, or the test shows nothing.
    expect(await deployment.sql('SELECT FROM conversations WHERE merged_into IS NOT NULL')).not.toEqual([]);
    expect(anthropic.requestsOf('messages').length).toBeGreaterThan(0);
  }, 600_000);

  const write = (from: string, text: string) => whatsapp.receiveText({ from, text: `${text} ${from}` });

  async function startInstance(): Promise<void> {
    const instance = await deployment.startInstance();
    instances.push(instance);
    whatsapp.subscribe(`${instance.url}/callbacks/whatsapp`);
    await eventually(
      'WhatsApp is connected',
      async () => {
        const { body } = await instance.api<Record<string, { whatsapp: string }>>('GET', '/status?summary=true');
        expect(body.data['integrations']!.whatsapp).toBe('connected');
      },
      TIMES,
    );
  }

  /** The callbacks go to the killed instance, too: another one takes its place. */
  async function killOne(): Promise<void> {
    instances.pop()!.child.kill('SIGKILL');
    whatsapp.subscribe(`${instances.at(-1)!.url}/callbacks/whatsapp`);
    await startInstance();
  }

  /** A colleague who gets no answer, or an unknown outcome, writes once more. */
  async function takeOver(person: Person): Promise<void> {
    const request = {
      platform: 'whatsapp',
      recipient: person.asked,
      message: 'Grace here',
      options: { take_over: true },
    };
    await eventually(
      `${person.asked} is taken over`,
      async () => {
        const { body } = await instances.at(-1)!.api<SendResultDto>('POST', '/messages/send', request);
        expect(body.data.status).toBe('sent');
      },
      TIMES,
    );
    person.takenAt = Date.now();
  }

  async function settled(people: readonly Person[]): Promise<void> {
    await eventually(
      'all messages are stored, and nothing is due',
      async () => {
        const stored = await deployment.sql<{ number: string }>(
          `SELECT DISTINCT sender ->> 'id' AS number FROM messages WHERE direction = 'inbound' AND content LIKE 'Hello?%'`,
        );
        expect(stored).toHaveLength(people.length);
        const due = await deployment.sql<{ id: string }>(
          `SELECT conversation_id AS id FROM reply_tasks WHERE next_at IS NOT NULL
           UNION ALL SELECT conversation_id FROM messages WHERE status = 'pending'`,
        );
        expect(due.map(({ id }) => toPublicId('conversation', id))).toEqual([]);
      },
      TIMES,
    );
  }
});
