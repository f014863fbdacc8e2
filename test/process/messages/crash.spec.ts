import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { lastUserText } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { GatewayProcess } from '../../support/process';

interface Item {
  id: string;
  direction: string;
  content: string;
}

/** Longer than any lease that the dead process held. */
const RECOVERY = { timeoutMs: 40_000, everyMs: 100 };
/** Shorter than any of these leases. */
const AT_ONCE = { timeoutMs: 2_000, everyMs: 10 };

describe('kill -9', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let receiver: ReceiverFake;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    receiver = await new ReceiverFake().start();
    gateway = await GatewayProcess.start({ telegram, anthropic, env: LOCAL_RECEIVERS });
    process.stdout.write(`  ready after ${gateway.readyMs} ms on a new data directory\n`);
    await connected();
  }, 60_000);

  const connected = () =>
    eventually(
      'Telegram is connected',
      async () => {
        const { body } = await gateway.api<Record<string, { telegram: string }>>('GET', '/status?summary=true');
        expect(body.data['integrations']?.telegram).toBe('connected');
      },
      RECOVERY,
    );

  const history = async (chatId: number): Promise<Item[]> => {
    const { body } = await gateway.api<{ id: string; participant: { id: string } }[]>(
      'GET',
      '/conversations?per_page=100',
    );
    const conversation = body.data.find(({ participant }) => participant.id === String(chatId));
    if (!conversation) return [];
    const path = `/conversations/${conversation.id}?include_messages=true`;
    return (await gateway.api<{ messages: Item[] }>('GET', path)).body.data.messages;
  };
  const contents = async (chatId: number) =>
    (await history(chatId)).map(({ direction, content }) => `${direction}: ${content}`);
  const sentTo = (chatId: number) => telegram.sent.filter(({ chat_id }) => Number(chat_id) === chatId);
  const settled = (chatId: number, expected: string[]) =>
    eventually(`chat ${chatId} is answered`, async () => expect(await contents(chatId)).toEqual(expected), RECOVERY);
  const calledFor = (chatId: number) =>
    telegram.waitUntil(
      () => telegram.requestsOf('sendMessage').some(({ body }) => Number(body['chat_id']) === chatId),
      () => `nothing was sent to ${chatId}`,
    );

  describe("with an answer in progress, two being sent and a client's send", () => {
    const MAKING = 1;
    const NOT_WRITTEN = 2;
    const WRITTEN = 3;
    const CLIENT = 4;

    beforeAll(async () => {
      const gate = Promise.withResolvers<void>();
      anthropic.replyWith(async (request) => {
        const text = lastUserText(request);
        if (text === 'making') await gate.promise;
        return `re: ${text}`;
      });
      telegram.receiveText({ chatId: MAKING, text: 'making' });
      await anthropic.waitForInFlight(1);
      telegram.fail({ method: 'sendMessage', kind: 'hang' });
      telegram.receiveText({ chatId: NOT_WRITTEN, text: 'not written' });
      await calledFor(NOT_WRITTEN);
      telegram.fail({ method: 'sendMessage', kind: 'hang_after' });
      telegram.receiveText({ chatId: WRITTEN, text: 'written' });
      await calledFor(WRITTEN);
      telegram.fail({ method: 'sendMessage', kind: 'hang_after' });
      const send = { platform: 'telegram', recipient: String(CLIENT), message: 'from a client' };
      const sending = gateway.api('POST', '/messages/send', send).catch(() => undefined);
      await calledFor(CLIENT);
      await gateway.kill();
      await sending;
      gate.resolve();
      gateway = await gateway.restart();
      process.stdout.write(`  ready after ${gateway.readyMs} ms on the data directory of a killed process\n`);
    }, 60_000);

    it('answers an unanswered message once', async () => {
      await settled(MAKING, ['inbound: making', 'outbound: re: making']);
      await eventually('it is sent', () => expect(sentTo(MAKING)).toHaveLength(1), RECOVERY);
    }, 50_000);

    it('sends an answer once that Telegram had not received', async () => {
      await settled(NOT_WRITTEN, ['inbound: not written', 'outbound: re: not written']);
      await eventually('it is sent', () => expect(sentTo(NOT_WRITTEN)).toHaveLength(1), RECOVERY);
    }, 50_000);

    it('sends an answer twice only if Telegram received it and the gateway did not record it', async () => {
      await settled(WRITTEN, ['inbound: written', 'outbound: re: written']);
      await eventually('it is sent again', () => expect(sentTo(WRITTEN)).toHaveLength(2), RECOVERY);
      expect(anthropic.requestsOf('messages').filter(({ body }) => lastUserText(body) === 'written')).toHaveLength(1);
    }, 50_000);

    it("fails a client's send as ambiguous instead of sending it again", async () => {
      await settled(CLIENT, ['outbound: from a client']);
      const [message] = await history(CLIENT);
      await eventually(
        'it has failed',
        async () => {
          const { body } = await gateway.api('GET', `/messages/${message!.id}`);
          expect(body.data).toMatchObject({ status: 'failed', error: { code: 'ambiguous', retryable: true } });
        },
        RECOVERY,
      );
      expect(sentTo(CLIENT)).toHaveLength(1);
    }, 50_000);
  });

  describe('of a process with an embedded database', () => {
    const ANSWERED = 10;
    const MAKING = 11;
    const CLIENT = 12;
    let readyAt: number;
    let messageId: string;

    const send = (key: string) =>
      gateway.api<{ message_id: string; status: string }>(
        'POST',
        '/messages/send',
        { platform: 'telegram', recipient: String(CLIENT), message: 'interrupted' },
        { headers: { 'Idempotency-Key': key } },
      );

    beforeAll(async () => {
      await connected();
      const gate = Promise.withResolvers<void>();
      anthropic.replyWith(async (request) => {
        const text = lastUserText(request);
        if (text === 'being answered') await gate.promise;
        return `re: ${text}`;
      });
      await gateway.api('POST', '/webhooks', { url: receiver.url('/hook'), events: ['message.received'] });
      receiver.react(() => undefined, '/hook');
      telegram.receiveText({ chatId: MAKING, text: 'being answered' });
      await anthropic.waitForInFlight(1);
      await receiver.received(1, '/hook');
      telegram.fail({ method: 'sendMessage', kind: 'hang_after' });
      const sending = send('interrupted').catch(() => undefined);
      await calledFor(CLIENT);
      messageId = (await history(CLIENT))[0]!.id;
      await gateway.kill();
      await sending;
      gate.resolve();
      receiver.react(200, '/hook');
      gateway = await gateway.restart();
      readyAt = performance.now();
      telegram.receiveText({ chatId: ANSWERED, text: 'right after the start' });
    }, 60_000);

    it('lets the next process receive and answer within two seconds of being ready', async () => {
      await eventually('it is answered', () => expect(sentTo(ANSWERED)).toHaveLength(1), AT_ONCE);
      process.stdout.write(`  answered ${Math.round(performance.now() - readyAt)} ms after being ready\n`);
    });

    it('lets the next process make the interrupted answer at once', async () => {
      await eventually('it is answered', () => expect(sentTo(MAKING)).toHaveLength(1), AT_ONCE);
    });

    it('lets the next process end the interrupted send at once', async () => {
      const isAmbiguous = async () => {
        const { body } = await gateway.api('GET', `/messages/${messageId}`);
        expect(body.data).toMatchObject({ status: 'failed', error: { code: 'ambiguous', retryable: true } });
      };
      await eventually('it has failed', isAmbiguous, AT_ONCE);
    });

    it('lets the next process answer at once a client that repeats its Idempotency-Key', async () => {
      const askedAt = performance.now();
      const { body } = await send('interrupted');
      expect(body.data).toMatchObject({ message_id: messageId, status: 'failed' });
      expect(performance.now() - askedAt).toBeLessThan(AT_ONCE.timeoutMs);
    });

    it('lets the next process make the interrupted webhook delivery at once', async () => {
      await receiver.received(2, '/hook', AT_ONCE.timeoutMs);
      const ids = receiver.postsTo('/hook').map(({ event }) => event.id);
      expect(ids.filter((id) => id === ids[0])).toHaveLength(2);
    });
  });

  describe('with scheduled sends', () => {
    const NOT_DUE = 20;
    const WRITTEN = 21;
    const ids: string[] = [];

    beforeAll(async () => {
      await connected();
      const schedule = async (chat: number, aheadMs: number) => {
        const send_at = new Date(Date.now() + aheadMs).toISOString();
        const body = { platform: 'telegram', recipient: String(chat), message: 'scheduled', send_at };
        ids.push((await gateway.api<{ message_id: string }>('POST', '/messages/send', body)).body.data.message_id);
      };
      telegram.fail({ method: 'sendMessage', kind: 'hang_after' });
      await schedule(WRITTEN, 200);
      await schedule(NOT_DUE, 4_000);
      await calledFor(WRITTEN);
      await gateway.kill();
      gateway = await gateway.restart();
    }, 60_000);

    const status = async (id: string) => (await gateway.api<object>('GET', `/messages/${id}`)).body.data;

    it('sends once a message that became due meanwhile', async () => {
      await eventually(
        'it is delivered',
        async () => expect(await status(ids[1]!)).toMatchObject({ status: 'delivered' }),
        RECOVERY,
      );
      expect(sentTo(NOT_DUE)).toHaveLength(1);
    }, 50_000);

    it('fails as ambiguous a message that was being written, and never sends it again', async () => {
      const failed = { status: 'failed', error: { code: 'ambiguous', retryable: true } };
      await eventually('it has failed', async () => expect(await status(ids[0]!)).toMatchObject(failed), RECOVERY);
      expect(sentTo(WRITTEN)).toHaveLength(1);
    }, 50_000);
  });

  it('loses and doubles nothing at any moment between a message and its answer', async () => {
    anthropic.replyWith((request) => `re: ${lastUserText(request)}`);
    const moments = [0, 30, 80, 160];
    for (const [index, moment] of moments.entries()) {
      await connected();
      telegram.receiveText({ chatId: 100 + index, text: `killed after ${moment} ms` });
      await sleep(moment);
      await gateway.kill();
      gateway = await gateway.restart();
    }
    for (const [index, moment] of moments.entries()) {
      const text = `killed after ${moment} ms`;
      await settled(100 + index, [`inbound: ${text}`, `outbound: re: ${text}`]);
      await eventually('it is sent', () => expect(sentTo(100 + index).length).toBeGreaterThan(0), RECOVERY);
      expect(sentTo(100 + index).length).toBeLessThanOrEqual(2);
    }
    const sends = moments.map((_, index) => sentTo(100 + index).length).join(', ');
    process.stdout.write(`  killed after ${moments.join(', ')} ms: sent ${sends} times\n`);
  }, 120_000);
});
