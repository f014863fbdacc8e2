import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import type { SendProgress } from '../../../src/messages/outbound/outbound-message';
import { OutboundStore } from '../../../src/messages/outbound/outbound-store.service';
import { SendService } from '../../../src/messages/outbound/send.service';
import { SendLease } from '../../../src/messages/outbound/send-lease';
import { useGateway } from '../../support/gateway';

describe('a process that was stopped for longer than its lease', () => {
  const clock = performance.now.bind(performance);
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ telegram, anthropic });

  afterEach(() => jest.restoreAllMocks());

  /** The process is stopped for 18 s, and meanwhile another instance claims all that is pending. */
  const stopFor18s = async () => {
    await gateway.sql(
      `WITH message AS (UPDATE messages SET lease_until = NULL WHERE status = 'pending' AND lease_until IS NOT NULL RETURNING id)
       INSERT INTO message_tasks (message_id, next_at, lease_until, fence, attempts, write_started_at)
       SELECT id, now(), now() + interval '1 hour', 2, 1, now() FROM message`,
    );
    jest.spyOn(performance, 'now').mockImplementation(() => clock() + 18_000);
  };

  const expectUnwritten = async () => {
    const send = { platform: 'telegram', recipient: '7', message: 'Hello' };
    const { body } = await gateway.api<{ status: string }>('POST', '/messages/send', send);
    expect(body.data.status).toBe('pending');
    expect(telegram.sent).toEqual([]);
  };

  it('does not write an answer that another instance took over after it was stored', async () => {
    const service = gateway.app.get(SendService, { strict: false });
    const deliver = service.deliver.bind(service);
    const delivered = Promise.withResolvers<SendProgress>();
    jest.spyOn(service, 'deliver').mockImplementationOnce(async (...answer) => {
      await stopFor18s();
      delivered.resolve(deliver(...answer));
      return delivered.promise;
    });
    telegram.receiveText({ chatId: 8, text: 'When do you open?' });
    expect(await delivered.promise).toEqual({ status: 'pending' });
    expect(telegram.sent).toEqual([]);
  });

  it('does not write a message that another instance has taken over, whatever the database told it before', async () => {
    const store = gateway.app.get(OutboundStore, { strict: false });
    const accept = store.accept.bind(store);
    jest.spyOn(store, 'accept').mockImplementationOnce(async (draft) => {
      const accepted = await accept(draft);
      // The answer waits in the socket meanwhile.
      await stopFor18s();
      return accepted;
    });
    await expectUnwritten();
  });

  it('does not write a message that another instance took over while the connection to the platform was made', async () => {
    const mayWrite = Object.getOwnPropertyDescriptor(SendLease.prototype, 'mayWrite')!.value as SendLease['mayWrite'];
    jest.spyOn(SendLease.prototype, 'mayWrite').mockImplementationOnce(async function (this: SendLease) {
      const may = await mayWrite.call(this);
      await stopFor18s();
      return may;
    });
    await expectUnwritten();
  });

  it('asks for the lease again before it writes an answer that was stored some seconds ago', async () => {
    const mark = jest.spyOn(gateway.app.get(OutboundStore, { strict: false }), 'markWriteStarted');
    const service = gateway.app.get(SendService, { strict: false });
    const deliver = service.deliver.bind(service);
    const delivered = Promise.withResolvers<SendProgress>();
    jest.spyOn(service, 'deliver').mockImplementationOnce((...answer) => {
      jest.spyOn(performance, 'now').mockImplementation(() => clock() + 6_000);
      delivered.resolve(deliver(...answer));
      return delivered.promise;
    });
    telegram.receiveText({ chatId: 9, text: 'When do you open?' });
    expect(await delivered.promise).toMatchObject({ status: 'sent' });
    expect(mark).toHaveBeenCalledTimes(1);
  });
});
