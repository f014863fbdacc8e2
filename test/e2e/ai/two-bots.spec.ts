import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const CHAT = 4_711;
const ANSWERS = 5;
/** Much longer than an answer takes. */
const SILENCE_MS = 2_000;

interface Side {
  gateway: TestGateway;
  telegram: TelegramFake;
}

describe('two gateways whose assistants answer each other', () => {
  const anthropic = new AnthropicFake();
  const sides: Side[] = [];
  const over = new AbortController();

  beforeAll(async () => {
    await anthropic.start();
    anthropic.replyWith(() => 'Thank you, and you?');
    for (let index = 0; index < 2; index += 1) {
      const telegram = await new TelegramFake().start();
      const gateway = await startTestGateway({ anthropic, telegram });
      await gateway.connected('telegram');
      await gateway.api('PATCH', '/admin/settings', { handover: { answers_per_10_minutes: ANSWERS } });
      sides.push({ gateway, telegram });
    }
  });
  afterAll(() => {
    over.abort();
  });

  /** Hands the messages of one bot to the other one. */
  const carry = async ({ telegram: from }: Side, { telegram: to }: Side) => {
    for (let carried = 0; !over.signal.aborted; await sleep(5))
      for (; carried < from.sent.length; carried += 1) to.receiveText({ chatId: CHAT, text: from.sent[carried]!.text });
  };
  const conversationOf = async ({ gateway }: Side) =>
    (await gateway.api<ConversationDto[]>('GET', '/conversations')).body.data[0];

  it('stop at the limit of answers, and a person is requested', async () => {
    const [one, other] = sides as [Side, Side];
    void carry(one, other);
    void carry(other, one);
    one.telegram.receiveText({ chatId: CHAT, text: 'Hello' });
    await eventually('one of them requests a person', async () => {
      const conversations = await Promise.all(sides.map(conversationOf));
      expect(conversations.map((found) => found?.handover?.reason)).toContain('loop');
    });
    const sent = () => sides.map(({ telegram }) => telegram.sent.length);
    const before = sent();
    await sleep(SILENCE_MS);
    expect(sent()).toEqual(before);
    for (const count of before) expect(count).toBeLessThanOrEqual(ANSWERS + 1);
  });
});
