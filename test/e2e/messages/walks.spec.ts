import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { Steps } from '../../support/steps';

const ROOMS_OF_MESSAGES = ['messages', 'conversations', 'integrations', 'media'];

/** docs/lifecycle.md draws the walks, and says what counts. With the variable `SHOW_WALKS`, each function is named. */
describe('the walk', () => {
  const steps = new Steps();
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ telegram, anthropic, env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    await steps.start();
  });
  afterAll(() => steps.stop());

  const send = async (recipient: string, key = gateway.liveKey) => {
    const body = { platform: 'telegram', recipient, message: 'Hello' };
    expect((await gateway.api('POST', '/messages/send', body, { key })).status).toBe(200);
  };
  /** A walk ends when its last statement has recorded it. */
  const recorded = (open: string) =>
    eventually('it is recorded', async () => expect(await gateway.sql(`SELECT FROM ${open}`)).toEqual([]), {
      everyMs: 5,
    });
  const expectAtMost = (walk: string[], name: string, functions: number, files: number) => {
    const found = new Set(walk.map((step) => step.split(' ')[0]));
    process.stdout.write(`  figure: ${name}: ${walk.length} functions in ${found.size} files\n`);
    if (process.env.SHOW_WALKS) process.stdout.write(`${walk.join('\n')}\n`);
    expect(walk.length).toBeLessThanOrEqual(functions);
    expect(found.size).toBeLessThanOrEqual(files);
  };

  it('of a send calls few functions', async () => {
    const walk = await steps.ofWalk(ROOMS_OF_MESSAGES, () => send('7'));
    expect(walk).toContain('messages/messages.service.ts send');
    expectAtMost(walk, 'a send', 64, 23);
  });

  it('of an inbound message and its answer calls few functions', async () => {
    let chatId = 10;
    const walk = await steps.ofWalk([...ROOMS_OF_MESSAGES, 'ai'], async () => {
      const answers = telegram.sent.length;
      telegram.receiveText({ chatId: ++chatId, text: 'When do you open?' });
      await eventually('it is answered', () => expect(telegram.sent).toHaveLength(answers + 1), { everyMs: 5 });
      await recorded('message_tasks');
      await recorded('reply_tasks WHERE next_at IS NOT NULL');
    });
    expect(walk).toContain('ai/assistant/assistant.service.ts reply');
    expectAtMost(walk, 'an inbound message and its answer', 203, 70);
  });

  it('of an event and its delivery calls few functions', async () => {
    const key = gateway.testKey;
    const hook = { url: receiver.url('/hook'), events: ['message.sent'], secret: 'a secret of good length' };
    expect((await gateway.api('POST', '/webhooks', hook, { key })).status).toBe(201);
    let sends = 0;
    const walk = await steps.ofWalk(['webhooks', 'core/egress', 'core/work', 'core/events'], async () => {
      await send(String(++sends), key);
      await receiver.received(sends, '/hook');
      await recorded('webhook_dispatches WHERE next_at IS NOT NULL');
    });
    expect(walk).toContain('core/egress/receiver-client.service.ts post');
    expectAtMost(walk, 'an event and its delivery', 58, 27);
  });
});
