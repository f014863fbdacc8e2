import { WhatsAppAdapter } from '#platforms';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { startTestGateway } from '../support/gateway';

/** What the handbook promises: an adapter that hangs has 26 s for a part, and 20 s for a callback. */
const STOP_MS = 35_000;
const PERSON = '491701234567';

describe('an adapter that never answers', () => {
  it('does not slow the other platforms, and the gateway stops in time', async () => {
    const [telegram, whatsapp, anthropic] = await Promise.all([
      new TelegramFake().start(),
      new WhatsAppFake().start(),
      new AnthropicFake().start(),
    ]);
    const gateway = await startTestGateway({ telegram, anthropic, env: whatsapp.env });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await Promise.all([gateway.connected('telegram'), gateway.connected('whatsapp')]);
    const send = (platform: string, recipient: string) =>
      gateway.api<{ status: string }>('POST', '/messages/send', { platform, recipient, message: 'Hello' });

    const called: string[] = [];
    const adapter = gateway.app.get<Record<string, unknown>>(WhatsAppAdapter);
    const hang = (method: string) =>
      new Promise<void>((met) => {
        adapter[method] = () => {
          called.push(method);
          met();
          return new Promise(() => undefined);
        };
      });
    const receive = (text: string) =>
      whatsapp.post(whatsapp.messageValue({ type: 'text', text: { body: text } }, { from: PERSON }));

    // Each call of the gateway to the adapter hangs, while the calls before it still hang.
    const typing = hang('showTyping');
    await receive('Are you there?');
    await typing;
    const sending = hang('sendPart');
    void send('whatsapp', PERSON).catch(() => undefined);
    await sending;
    const receiving = hang('callback');
    void receive('Hello').catch(() => undefined);
    await receiving;
    const running = hang('run');
    void gateway.api('POST', '/integrations/whatsapp/reconnect').catch(() => undefined);
    await running;

    telegram.receiveText({ chatId: 7, text: 'Hello' });
    expect((await send('telegram', '8')).body.data.status).toBe('sent');
    await telegram.waitForSent(2);
    expect(new Set(called)).toEqual(new Set(['showTyping', 'sendPart', 'callback', 'run']));

    const stoppedAt = performance.now();
    await gateway.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS);
    await Promise.all([telegram.stop(), whatsapp.shutDown(), anthropic.stop()]);
  }, 90_000);
});
