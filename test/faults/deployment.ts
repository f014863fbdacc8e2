import { Client } from 'pg';
import { generateKey } from '../../src/api-keys/key-format';
import { ReceiverFake } from '../fakes/receiver.fake';
import { eventually } from '../support/eventually';
import { sharedPostgres, withClient } from '../support/postgres';
import { GatewayProcess } from '../support/process';

/** What every instance of a deployment under fault tests runs with: short retries, receivers on this machine. */
const ENV = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_SCHEDULE: '1,1,2,5,10',
};

/** Instances on one database, and a receiver that records every event id. */
export class Deployment {
  readonly key = generateKey('test');

  private constructor(
    readonly databaseUrl: string,
    readonly receiver: ReceiverFake,
  ) {}

  static async create(): Promise<Deployment> {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    return new Deployment(databaseUrl, await new ReceiverFake().start());
  }

  async startInstance(env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
    const instance = await GatewayProcess.start({
      key: this.key,
      env: { ...ENV, DATABASE_URL: this.databaseUrl, ...env },
    });
    // Wide limits, before the key is first used.
    await this.sql('UPDATE api_keys SET requests_per_minute = 1000000, requests_per_hour = 1000000');
    await this
      .sql(`INSERT INTO settings (environment, document) VALUES ('test', '{"rate_limits":{"messages_per_minute":100000}}')
      ON CONFLICT (environment) DO NOTHING`);
    await this.sql(`SELECT pg_notify('gateway', 'settings:test')`);
    return instance;
  }

  async register(instance: GatewayProcess, events = ['message.sent', 'message.delivered']): Promise<string> {
    const answer = await instance.api<{ id: string }>('POST', '/webhooks', { url: this.receiver.url(), events });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.data.id;
  }

  /** Causes events; whether the call was answered is not what counts, but what was committed. */
  async send(instance: GatewayProcess, recipient = 'ada'): Promise<void> {
    const message = { platform: 'telegram', recipient, message: 'hello' };
    await instance.api('POST', '/messages/send', message).catch(() => undefined); // killed meanwhile
  }

  sql<Row>(text: string): Promise<Row[]> {
    return withClient(this.databaseUrl, async (client: Client) => (await client.query(text)).rows as Row[]);
  }

  /** The oracle: every committed event has arrived. @returns how many times each did */
  async allArrive(timeoutMs = 40_000): Promise<Map<string, number>> {
    return eventually(
      'every committed event arrives, and is recorded',
      async () => {
        const committed = await this.sql<{ id: string }>(
          `SELECT body::json->>'id' AS id FROM events WHERE type IN ('message.sent', 'message.delivered')`,
        );
        const times = new Map<string, number>();
        for (const { event } of this.receiver.posts) times.set(event.id, (times.get(event.id) ?? 0) + 1);
        const missing = committed.filter(({ id }) => !times.has(id));
        if (missing.length > 0) throw new Error(`${missing.length} of ${committed.length} are missing`);
        if (times.size > committed.length) throw new Error('events arrived that were never committed');
        const open = await this.sql(`SELECT 1 FROM message_tasks UNION ALL SELECT 1 FROM event_outbox
          UNION ALL SELECT 1 FROM webhook_dispatches WHERE state <> 'delivered'`);
        if (open.length > 0) throw new Error(`${open.length} pieces of work are still open`);
        return times;
      },
      { timeoutMs, everyMs: 100 },
    );
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }
}
