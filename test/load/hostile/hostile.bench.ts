import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { fromPublicId, toPublicId } from '#contracts';
import { generateKey } from '../../../src/api-keys/key-format';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import type { Bench } from '../bench.port';
import type { ChildServer } from '../child-server';
import { startGatewayServer } from '../gateway-server';
import { callGateway } from '../api-request';
import { judge, type Goal } from '../goals';
import { SoakReceivers } from '../soak/receivers';
import { percentile } from '../statistics';
import { withClient, type Stage } from '../stage';
import { Party } from '../webhooks/parties';
import { ADDRESSES, type Target } from './attackers';
import { GatewaySamples, openSockets } from './gateway-samples';
import { HonestClients } from './honest-clients';
import { filesAsWeapons } from './hostile-files';

const SECONDS = 3_600;
const FILES_SECONDS = 600;
/** Phases without attackers, before and after: a tenth of the time, within these bounds. */
const BASELINE_SECONDS = { least: 20, most: 300 };
const WARM_UP_SECONDS = 20;
/** In the conversation that attackers request and do not read: an answer of 3.3 million characters, 6.6 MB. */
const LONG_MESSAGES = 100;
const LONG_TEXT = '🦊'.repeat(16_384);
/** Audit rows per minute of an address without a valid key: 60 single rows, then one per route and status. */
const ROWS_OF_ADDRESS = 75;
/** Audit rows per minute of a refused key: 60 single rows, then one for 403 and one for 429. */
const ROWS_OF_KEY = 62;
const HEALTH_MS = 100;
const HANGING_WEBHOOKS = 20;
const DRAIN_MS = 60_000;

/** Honest clients alone, then among attackers, then alone again, on one gateway. */
class Hostile {
  private readonly receivers = new SoakReceivers();
  private readonly whatsapp = new WhatsAppFake();
  private databaseUrl = '';
  private gateway!: ChildServer;
  private honestKey = '';
  private refusedKeyId = '';
  private target!: Target;

  constructor(private readonly stage: Stage) {}

  async run(seconds: number): Promise<void> {
    await Promise.all([this.receivers.start(), this.whatsapp.start()]);
    try {
      await this.prepare();
      await this.measure(seconds);
    } finally {
      this.receivers.stop();
      await this.whatsapp.shutDown();
    }
  }

  private async prepare(): Promise<void> {
    this.databaseUrl = await this.stage.database('hostile');
    const first = generateKey('test');
    this.gateway = await startGatewayServer(this.stage, 'hostile', this.databaseUrl, {
      BOOTSTRAP_API_KEY: first,
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      ...this.whatsapp.env,
    });
    this.honestKey = first;
    const weak = {
      name: 'weak',
      environment: 'test',
      scopes: ['read:messages', 'read:conversations', 'write:messages'],
      rate_limit: { requests_per_minute: 120, requests_per_hour: 7_200 },
    };
    const { key: weakKey } = await this.api<{ key: string }>('POST', '/admin/api-keys', weak);
    await this.api('POST', '/webhooks', { url: this.receivers.living()[0], events: ['*'] });
    let conversation = '';
    for (let count = 0; count < LONG_MESSAGES; count++) {
      const message = { platform: 'telegram', recipient: '66', message: LONG_TEXT };
      const { message_id } = await this.api<{ message_id: string }>('POST', '/messages/send', message);
      conversation ||= (await this.api<{ conversation_id: string }>('GET', `/messages/${message_id}`)).conversation_id;
    }
    const refused = { name: 'refused', environment: 'test', scopes: ['read:status'] };
    const { id, key: refusedKey } = await this.api<{ id: string; key: string }>('POST', '/admin/api-keys', refused);
    this.refusedKeyId = fromPublicId('api_key', id)!;
    const [firstEvent = ''] = await this.events();
    const operator = { name: 'operator', environment: 'test', scopes: ['admin:settings'] };
    const { key: operatorKey } = await this.api<{ key: string }>('POST', '/admin/api-keys', operator);
    const hangingWebhooks: string[] = [];
    for (const url of this.receivers.dead(HANGING_WEBHOOKS, ['hangs'])) {
      hangingWebhooks.push((await this.api<{ id: string }>('POST', '/webhooks', { url, events: ['*'] })).id);
    }
    const { origin } = this.gateway;
    this.target = { origin, weakKey, refusedKey, conversation, firstEvent, operatorKey, hangingWebhooks };
  }

  private async measure(seconds: number): Promise<void> {
    const baselineSeconds = Math.min(BASELINE_SECONDS.most, Math.max(BASELINE_SECONDS.least, Math.round(seconds / 10)));
    const server = await this.stage.server('attackers', join(__dirname, 'attackers-server.js'), {
      TARGET: JSON.stringify(this.target),
    });
    const attackers = new Party('attackers', server);
    const honest = new HonestClients(this.gateway.origin, this.honestKey);
    await honest.ask(WARM_UP_SECONDS);
    const before = await honest.ask(baselineSeconds);
    tell(`alone, before (${baselineSeconds} s)`, before);

    await attackers.order('begin', {});
    const rowsBefore = await this.auditRows();
    const samples = new GatewaySamples(this.gateway.pid, this.gateway.origin);
    const among = await honest.ask(seconds);
    samples.stop();
    const rows = difference(await this.auditRows(), rowsBefore);
    const connections = await attackers.order<Record<string, number>>('end', {});
    await attackers.stop();
    tell(`among attackers (${seconds} s)`, among);

    const left = await this.socketsLeft();
    const after = await honest.ask(baselineSeconds);
    tell(`alone, after (${baselineSeconds} s)`, after);
    await honest.close();

    const opened = Object.entries(connections).map(([kind, count]) => `${kind} ${count}`);
    console.log(`  connections of attackers: ${opened.join(', ')}`);
    console.log(`  audit rows: ${rows.strangers} of strangers, ${rows.keys} of keys`);
    console.log(`  ${samples.summary()}\n`);
    const alone = percentile([...before, ...after], 0.99);
    const honestP99 = percentile(among, 0.99);
    const health = percentile(samples.healthMs, 0.99);
    const mostRows = ADDRESSES * ROWS_OF_ADDRESS * (Math.ceil(seconds / 60) + 1);
    const mostRefused = ROWS_OF_KEY * (Math.ceil(seconds / 60) + 1);
    const failures = [...honest.failures].map(([status, count]) => `${status} × ${count}`).join(', ');
    judge([
      {
        name: 'p99 of honest clients among attackers at most 2 × that without',
        met: honestP99 <= 2 * alone,
        figure: `${alone.toFixed(1)} → ${honestP99.toFixed(1)} ms (${(honestP99 / alone).toFixed(2)} ×)`,
      },
      {
        name: `p99 of /health/live at most ${HEALTH_MS} ms`,
        met: health <= HEALTH_MS,
        figure: `${health.toFixed(1)} ms`,
      },
      samples.goal(),
      {
        name: `audit rows of strangers at most ${ROWS_OF_ADDRESS} for each address and minute`,
        met: rows.strangers <= mostRows,
        figure: `${rows.strangers} of ${mostRows}`,
      },
      {
        name: `audit rows of a refused key at most ${ROWS_OF_KEY} a minute`,
        met: rows.refused <= mostRefused,
        figure: `${rows.refused} of ${mostRefused}`,
      },
      { name: 'no socket of the attackers is left', met: left <= 0, figure: `${left}` },
      { name: 'every honest request is answered by a success', met: failures === '', figure: failures || 'all' },
      await this.listed(honest.accepted),
      await this.delivered(),
    ]);
  }

  /** Waits up to 20 s for the attackers' sockets to close. @returns sockets beyond those of the honest clients */
  private async socketsLeft(): Promise<number> {
    let left = Infinity;
    for (let tries = 0; left > 0 && tries < 40; tries++) {
      await sleep(500);
      // 40: the honest clients keep up to 32 sockets, and this process a few.
      left = (await openSockets(this.gateway.origin)) - 40;
    }
    return left;
  }

  /** Checks that the list has each accepted message once. */
  private async listed(accepted: readonly string[]): Promise<Goal> {
    const times = new Map<string, number>();
    for (let page = 1, more = true; more; page++) {
      const { data, meta } = await this.page(page);
      for (const { id } of data) times.set(id, (times.get(id) ?? 0) + 1);
      more = page < meta.pagination.total_pages;
    }
    const wrong = accepted.filter((id) => times.get(id) !== 1).length;
    return {
      name: 'each accepted send is in the list once',
      met: wrong === 0 && accepted.length > 0,
      figure: `${accepted.length} accepted, ${wrong} not once`,
    };
  }

  private async page(page: number) {
    const answer = await request(`${this.gateway.origin}/api/v1/messages?per_page=100&page=${page}`, {
      headers: { authorization: `Bearer ${this.honestKey}` },
    });
    const body = (await answer.body.json()) as {
      data: { id: string }[];
      meta: { pagination: { total_pages: number } };
    };
    if (answer.statusCode !== 200) throw new Error(`The list answered ${answer.statusCode}`);
    return body;
  }

  /** Waits until the receiver has every event. */
  private async delivered(): Promise<Goal> {
    let ids: string[] = [];
    let lacking: string[] = [];
    for (const until = Date.now() + DRAIN_MS; ; await sleep(500)) {
      ids = await this.events();
      const taken = this.receivers.taken.get('/steady/0') ?? new Map<string, number>();
      lacking = ids.filter((id) => !taken.has(id));
      if (lacking.length === 0 || Date.now() > until) break;
    }
    return {
      name: 'each event is delivered',
      met: lacking.length === 0 && ids.length > 0,
      figure: `${ids.length} events, ${lacking.length} not delivered`,
    };
  }

  private events(): Promise<string[]> {
    return withClient(this.databaseUrl, async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM events WHERE environment = 'test' AND type LIKE 'message.%' ORDER BY created_at, id`,
      );
      return rows.map(({ id }) => toPublicId('event', id));
    });
  }

  private auditRows(): Promise<{ strangers: number; keys: number; refused: number }> {
    return withClient(this.databaseUrl, async (client) => {
      const { rows } = await client.query<{ strangers: number; keys: number; refused: number }>(
        `SELECT count(*) FILTER (WHERE api_key_id IS NULL)::int AS strangers, count(api_key_id)::int AS keys,
           count(*) FILTER (WHERE api_key_id = $1)::int AS refused FROM audit_log`,
        [this.refusedKeyId],
      );
      return rows[0]!;
    });
  }

  private api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return callGateway<Data>(this.gateway.origin, this.honestKey, method, path, body);
  }
}

function difference<Counts extends Record<string, number>>(now: Counts, before: Counts): Counts {
  return Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - before[name]!])) as Counts;
}

function tell(when: string, latencies: readonly number[]): void {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(1));
  console.log(`  honest clients ${when}: p50 ${p50} ms, p99 ${p99} ms of ${latencies.length} requests`);
}

export const HOSTILE: Bench = {
  description: 'an hour of hostile clients beside honest ones: p99 at most doubled, memory flat, nothing lost',
  run: (stage) => new Hostile(stage).run(stage.seconds ?? SECONDS),
};

export const HOSTILE_FILES: Bench = {
  description:
    'ten minutes of harmful files and texts beside honest traffic: p99 at most doubled, below 700 MiB, no restart',
  run: (stage) => filesAsWeapons(stage, stage.seconds ?? FILES_SECONDS),
};
