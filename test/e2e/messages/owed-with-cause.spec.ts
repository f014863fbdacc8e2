import { Client } from 'pg';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

/** What sends, inbound messages, receipts and attempts write. */
const WRITTEN = ['messages', 'message_tasks', 'conversations', 'events', 'webhook_dispatches', 'webhook_deliveries'];

const notifies = (text: string) => /notify/i.test(text);
const writes = (text: string) => new RegExp(`(INSERT INTO|UPDATE|DELETE FROM) (${WRITTEN.join('|')})\\b`).test(text);
const writesAttempts = (text: string) => text.includes('INTO webhook_deliveries');

/** The texts of each transaction that the clients of this process ran. */
function transactionsOf({ mock }: jest.SpyInstance): string[][] {
  const open = new Map<unknown, string[]>();
  const transactions: string[][] = [];
  for (const [index, [asked]] of (mock.calls as [string | { text?: string }][]).entries()) {
    const text = typeof asked === 'string' ? asked : (asked.text ?? '');
    const client: unknown = mock.contexts[index];
    const begun = open.get(client);
    if (/^(BEGIN|START)/.test(text)) {
      const texts: string[] = [];
      open.set(client, texts);
      transactions.push(texts);
    } else if (/^(COMMIT|ROLLBACK)/.test(text)) open.delete(client);
    else if (begun) begun.push(text);
    else transactions.push([text]);
  }
  return transactions;
}

describe('work that an event causes', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const receiver = new ReceiverFake();
  const gateway = useGateway({ telegram, anthropic, env: LOCAL_RECEIVERS });

  beforeAll(async () => {
    await receiver.start();
    // The claims of workers would write the rows again.
    await gateway.sql(`CREATE TABLE inserted (at text, what text, transaction text)`);
    for (const table of ['messages', 'events', 'webhook_dispatches', 'reply_tasks']) {
      await gateway.sql(`CREATE FUNCTION note_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO inserted VALUES (now()::text, '${table}', pg_current_xact_id()::text); RETURN NULL; END $$`);
      await gateway.sql(`CREATE TRIGGER note AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION note_${table}()`);
    }
  });

  afterEach(async () => {
    await gateway.sql('TRUNCATE inserted');
  });

  const subscribe = async (path: string, events: string[], key = gateway.liveKey) => {
    const answer = await gateway.api('POST', '/webhooks', { url: receiver.url(path), events }, { key });
    expect(answer.status).toBe(201);
  };
  /** What each transaction inserted, in the order of the alphabet. */
  const transactions = async () =>
    (
      await gateway.sql<{ tables: string }>(
        `SELECT string_agg(what, ' ' ORDER BY what) AS tables FROM inserted GROUP BY transaction ORDER BY 1`,
      )
    ).map(({ tables }) => tables);

  it("is stored in the event's statement: dispatches for the subscribed webhooks", async () => {
    await subscribe('/all', ['*']);
    await subscribe('/sent', ['message.sent']);
    await subscribe('/failed', ['message.failed']);
    await subscribe('/sandbox', ['*'], gateway.testKey);
    const message = { platform: 'telegram', recipient: '7', message: 'Hello' };
    expect((await gateway.api('POST', '/messages/send', message)).status).toBe(200);
    await eventually('each receiver has what it is subscribed to', () => {
      expect(receiver.postsTo('/all').length).toBeGreaterThanOrEqual(2);
      expect(receiver.postsTo('/sent')).toHaveLength(1);
    });
    expect(receiver.postsTo('/failed')).toEqual([]);
    expect(receiver.postsTo('/sandbox')).toEqual([]);
    // message.sent to two of them, message.delivered to one.
    expect(await transactions()).toContain('events events webhook_dispatches webhook_dispatches webhook_dispatches');
  });

  it("is stored in the event's statement: the reply task of an inbound message", async () => {
    telegram.receiveText({ chatId: 21, text: 'Hello' });
    await eventually('it is answered', () =>
      expect(telegram.sent.map(({ text }) => text)).toContain('You said: Hello'),
    );
    // Its dispatch, for the webhook that is subscribed to everything, is in it as well.
    expect(await transactions()).toContain('events messages reply_tasks webhook_dispatches');
  });

  it('is announced after the commit, because NOTIFY in a transaction locks the whole cluster', async () => {
    const query = jest.spyOn(Client.prototype, 'query');
    const message = { platform: 'telegram', recipient: '8', message: 'Hello' };
    expect((await gateway.api('POST', '/messages/send', message)).status).toBe(200);
    telegram.receiveText({ chatId: 22, text: 'Good evening' });
    await eventually('all of it is told', () => {
      expect(telegram.sent.map(({ text }) => text)).toContain('You said: Good evening');
      expect(transactionsOf(query).flat().filter(writesAttempts)).not.toEqual([]);
      expect(transactionsOf(query).flat().filter(notifies)).not.toEqual([]);
    });
    const ran = transactionsOf(query);
    query.mockRestore();
    expect(ran.flat().filter(writes).length).toBeGreaterThan(3);
    expect(ran.filter((texts) => texts.some(notifies) && texts.some(writes))).toEqual([]);
    const triggers = await gateway.sql(
      `SELECT tgrelid::regclass::text FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
       WHERE prosrc ~* 'notify' AND tgrelid::regclass::text = ANY ($1)`,
      [WRITTEN],
    );
    expect(triggers).toEqual([]);
  });

  it('needs no outbox of events for the listeners', async () => {
    expect(await gateway.sql(`SELECT to_regclass('event_outbox')::text AS outbox`)).toEqual([{ outbox: null }]);
  });
});
