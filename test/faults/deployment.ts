import type { Client } from 'pg';
import type { Environment } from '#contracts';
import { generateKey } from '../../src/api-keys/key-format';
import { LOCAL_RECEIVERS, ReceiverFake, type ReceivedPost } from '../fakes/receiver.fake';
import { eventually } from '../support/eventually';
import { sharedPostgres, withClient } from '../support/postgres';
import { GatewayProcess, type GatewayProcessOptions } from '../support/process';
import { Tally } from './tally';

/** What every instance of a deployment under fault tests runs with: short retries, receivers on this machine. */
const ENV = {
  ...LOCAL_RECEIVERS,
  WEBHOOK_RETRY_SCHEDULE: '1,1,2,5,10',
};

export interface DeploymentOptions extends Pick<GatewayProcessOptions, 'telegram' | 'anthropic' | 'env'> {
  /** Of its key; `test` by default: the sandbox plays the platforms. */
  environment?: Environment;
  /** Instead of a database on the shared server. */
  databaseUrl?: string;
}

/** Instances on one database, and a receiver that records every event id. */
export class Deployment {
  readonly key: string;
  /** Of every message that a client was told of: `msg_` ids. */
  readonly acknowledged: string[] = [];
  private readonly instances: GatewayProcess[] = [];
  private subscribed: string[] = [];
  /** Posts that the receiver answered with an error: they do not count as received. */
  private readonly refused = new Set<ReceivedPost>();

  private constructor(
    readonly databaseUrl: string,
    readonly receiver: ReceiverFake,
    private readonly options: DeploymentOptions,
  ) {
    this.key = generateKey(options.environment ?? 'test');
  }

  static async create(options: DeploymentOptions = {}): Promise<Deployment> {
    const databaseUrl = options.databaseUrl ?? (await (await sharedPostgres()).createDatabase());
    return new Deployment(databaseUrl, await new ReceiverFake().start(), options);
  }

  /** @param root the folder of the build to start; this tree's by default */
  async startInstance(env: NodeJS.ProcessEnv = {}, root?: string): Promise<GatewayProcess> {
    const { telegram, anthropic, environment = 'test' } = this.options;
    const instance = await GatewayProcess.start({
      key: this.key,
      root,
      telegram,
      anthropic,
      env: { ...ENV, DATABASE_URL: this.databaseUrl, ...this.options.env, ...env },
    });
    this.instances.push(instance);
    // Wide limits, before the key is first used.
    await this.sql('UPDATE api_keys SET requests_per_minute = 1000000, requests_per_hour = 1000000');
    await this.sql(`INSERT INTO settings (environment, document)
      VALUES ('${environment}', '{"rate_limits":{"messages_per_minute":100000}}') ON CONFLICT (environment) DO NOTHING`);
    await this.sql(`SELECT pg_notify('gateway', 'settings:${environment}')`);
    return instance;
  }

  async register(instance: GatewayProcess, events = ['message.sent', 'message.delivered']): Promise<string> {
    const answer = await instance.api<{ id: string }>('POST', '/webhooks', { url: this.receiver.url(), events });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    this.subscribed = events;
    return answer.body.data.id;
  }

  /**
   * Causes events; whether the call was answered is not what counts, but what was committed.
   * @returns the status of the answer; undefined where there was none: killed meanwhile
   */
  async send(instance: GatewayProcess, recipient = 'ada', text = 'hello'): Promise<number | undefined> {
    const message = { platform: 'telegram', recipient, message: text };
    const answer = await instance.api<{ message_id: string }>('POST', '/messages/send', message).catch(() => undefined);
    if (answer?.status === 200) this.acknowledged.push(answer.body.data.message_id);
    return answer?.status;
  }

  /** The receiver answers the next posts with 503, then takes everything again. */
  refuse(count: number): void {
    let left = count;
    this.receiver.react((_, response, post) => {
      if (left-- > 0) this.refused.add(post);
      response.writeHead(this.refused.has(post) ? 503 : 200).end();
    });
  }

  sql<Row>(text: string): Promise<Row[]> {
    return withClient(this.databaseUrl, async (client: Client) => (await client.query(text)).rows as Row[]);
  }

  /**
   * The oracle: every committed event has arrived, or was given up for good with its webhook's owner told; nothing else
   * has arrived, no work is left, and every message that a client was told of is there.
   * @param failed how many deliveries are to be given up
   */
  async allArrive({ timeoutMs = 40_000, failed = 0 } = {}): Promise<Tally> {
    const startedAt = performance.now();
    const types = this.subscribed.map((type) => `'${type}'`).join();
    return eventually(
      'every committed event arrives, and is recorded',
      async () => {
        const open = await this.sql(`SELECT 1 FROM message_tasks
          UNION ALL SELECT 1 FROM webhook_dispatches WHERE state NOT IN ('delivered', 'failed')`);
        if (open.length > 0) throw new Error(`${open.length} pieces of work are still open`);
        const committed = await this.sql<{ id: string; failed: boolean }>(
          `SELECT body::json->>'id' AS id, EXISTS (
             SELECT FROM webhook_dispatches d WHERE d.event_id = e.id AND d.state = 'failed'
           ) AS failed
           FROM events e WHERE type IN (${types})`,
        );
        const taken = this.receiver.posts.filter((post) => !this.refused.has(post));
        const tally = new Tally(committed, taken, performance.now() - startedAt);
        tally.assertComplete(failed);
        const unmailed = await this.sql(`SELECT 1 FROM webhooks w WHERE status = 'failed' AND NOT EXISTS (
          SELECT FROM mail_outbox m WHERE m.environment = w.environment)`);
        if (unmailed.length > 0)
          throw new Error(`${unmailed.length} webhooks have failed, and their owners were not told`);
        const stored = await this.sql<{ id: string }>(
          `SELECT body::json->'data'->>'message_id' AS id FROM events WHERE type IN ('message.sent', 'message.failed')`,
        );
        const known = new Set(stored.map(({ id }) => id));
        const lost = this.acknowledged.filter((id) => !known.has(id));
        if (lost.length > 0) throw new Error(`${lost.length} messages that were answered for are nowhere`);
        return tally;
      },
      { timeoutMs, everyMs: 100 },
    );
  }

  /** Kills what still runs. */
  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.kill()));
    await this.receiver.stop();
  }
}
