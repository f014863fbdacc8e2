import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import type { SendProgress } from '../../../src/messages/send/outbound-message';
import { OutboundStore } from '../../../src/messages/send/outbound-store.service';
import { SendService } from '../../../src/messages/send/send.service';
import { SendLease } from '../../../src/messages/send/send-lease';
import { DeliveryConfirmer } from '../../../src/messages/receipts/delivery-confirmer.service';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

describe('a process that was suspended for longer than its lease', () => {
  const clock = performance.now.bind(performance);
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ telegram, anthropic });

  afterEach(() => jest.restoreAllMocks());

  /** The process is stopped for 18 s, and meanwhile another instance claims all that is pending. */
  const stopFor18s = async () => {
    await gateway.sql(
      `UPDATE message_tasks SET lease_until = now() + interval '1 hour', fence = fence + 1, attempts = attempts + 1`,
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

  it('does not write a message of another instance, even with an old database result', async () => {
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

  it('does not write a message that another instance took over while the connection opened', async () => {
    const mayWrite = Object.getOwnPropertyDescriptor(SendLease.prototype, 'mayWrite')!.value as SendLease['mayWrite'];
    jest.spyOn(SendLease.prototype, 'mayWrite').mockImplementationOnce(async function (this: SendLease) {
      const may = await mayWrite.call(this);
      await stopFor18s();
      return may;
    });
    await expectUnwritten();
  });

  describe.each([
    ['live', 'fails as ambiguous', { status: 'failed', code: 'ambiguous' }],
    ['test', 'is sent', { status: 'delivered', code: null }],
  ] as const)('a %s message whose process died', (environment, outcome, row) => {
    /** @param sql ends the lease of message $1, in a process that does nothing more */
    const leave = async (text: string, sql: string) => {
      const died = Promise.withResolvers<SendProgress>();
      jest.spyOn(gateway.app.get(SendService, { strict: false }), 'deliver').mockReturnValueOnce(died.promise);
      const key = environment === 'live' ? gateway.liveKey : gateway.testKey;
      const message = { platform: 'telegram', recipient: '10', message: text };
      const answer = gateway.api('POST', '/messages/send', message, { key });
      const id = await eventually('it is stored', async () => {
        const [stored] = await gateway.sql<{ id: string }>('SELECT id FROM messages WHERE content = $1', [text]);
        return stored!.id;
      });
      await gateway.sql(sql, [id]);
      await eventually(
        `it ${outcome}`,
        async () =>
          expect(
            await gateway.sql(`SELECT status, failure ->> 'code' AS code FROM messages WHERE id = $1`, [id]),
          ).toEqual([row]),
        { timeoutMs: 20_000 },
      );
      died.resolve({ status: 'pending' });
      await answer;
      expect(telegram.sent.map(({ text: sent }) => sent)).not.toContain(text);
    };

    it(`that has a task ${outcome}`, () =>
      leave(
        `Left in ${environment}`,
        `UPDATE message_tasks SET lease_until = now() - interval '1 second', next_at = now() WHERE message_id = $1`,
      ));

    it(`that the previous version stored ${outcome}`, () =>
      leave(
        `Left in ${environment} by the version before`,
        `WITH task AS (DELETE FROM message_tasks WHERE message_id = $1 RETURNING write_started_at)
         UPDATE messages SET lease_until = now() - interval '1 second', write_started_at = task.write_started_at
         FROM task WHERE id = $1`,
      ));
  });

  it('confirms a sandbox delivery of a dead process', async () => {
    const confirmer = gateway.app.get(DeliveryConfirmer, { strict: false });
    jest.spyOn(confirmer, 'confirmLater').mockReturnValueOnce();
    const send = { platform: 'telegram', recipient: '11', message: 'Confirmed later' };
    await gateway.api('POST', '/messages/send', send, { key: gateway.testKey });
    await gateway.sql(`UPDATE message_tasks SET lease_until = now() - interval '1 second', next_at = now()
      WHERE message_id = (SELECT id FROM messages WHERE content = 'Confirmed later')`);
    await eventually('it is delivered, once', async () => {
      const [found] = await gateway.sql<{ status: string; events: number }>(
        `SELECT status, (SELECT count(*)::int FROM events WHERE message_id = m.id AND type = 'message.delivered') AS events
         FROM messages m WHERE content = 'Confirmed later'`,
      );
      expect(found).toEqual({ status: 'delivered', events: 1 });
    });
  });

  it('renews the lease before it writes an answer that was stored seconds ago', async () => {
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
