import { TelegramFake } from '../../fakes/telegram.fake';
import { OutboundStore } from '../../../src/messages/outbound/outbound-store.service';
import { startTestGateway } from '../../support/gateway';

describe('a process that was stopped for longer than its lease', () => {
  it('does not write a message that another instance has taken over, whatever the database told it before', async () => {
    const telegram = await new TelegramFake().start();
    const gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
    const store = gateway.app.get(OutboundStore, { strict: false });
    const mark = store.markWriteStarted.bind(store);
    const clock = performance.now.bind(performance);
    jest.spyOn(store, 'markWriteStarted').mockImplementationOnce(async (message) => {
      const isHeld = await mark(message);
      // The answer waits in the socket while the process is stopped, and another instance claims the message.
      await gateway.sql(
        `WITH message AS (UPDATE messages SET lease_until = NULL WHERE id = $1 RETURNING id)
         INSERT INTO message_tasks (message_id, next_at, lease_until, fence, attempts, write_started_at)
         SELECT id, now(), now() + interval '1 hour', 2, 1, now() FROM message`,
        [message.id],
      );
      jest.spyOn(performance, 'now').mockImplementation(() => clock() + 18_000);
      return isHeld;
    });
    const send = { platform: 'telegram', recipient: '7', message: 'Hello' };
    const { body } = await gateway.api<{ status: string }>('POST', '/messages/send', send);
    jest.restoreAllMocks();
    expect(body.data.status).toBe('pending');
    expect(telegram.sent).toEqual([]);
    await gateway.stop();
    await telegram.stop();
  }, 30_000);
});
