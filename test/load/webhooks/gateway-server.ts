import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid, toPublicId } from '#contracts';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { Database, statement } from '../../../src/core/database/database.service';
import type { DomainEvent } from '../../../src/core/events/domain-event';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { insertEvents, eventRows } from '../../../src/core/events/event.rows';
import { startGateway } from '../../../src/bootstrap';
import { prepareProcess } from '../../../src/process-start';
import { SecretBox } from '../../../src/core/secrets/secret-box.service';
import { onTimetable } from '../load';
import { SECRET, SENT } from './bodies';
import { listen } from './control-server';

/** Events committed by one statement. */
const COMMITTED_TOGETHER = 1_000;

/** More deliveries per second than any machine makes. Determines the pause between two checks, which cost time too. */
const FASTEST = 20_000;

const REGISTER = statement(
  'bench-register',
  `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
   VALUES ($1, 'live', $2, '{message.sent}', $3, now(), now())`,
);
const RECORDED = statement(
  'bench-recorded',
  `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE created_at >= $1 AND status = 'success'
     AND webhook_id = ANY (ARRAY(SELECT id FROM webhooks))`,
);
/** Returns the time before the commit, so that the latency includes the commit. */
const COMMIT = statement(
  'bench-commit',
  `WITH ${insertEvents('$1')} SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at`,
);

/** Commit time of each event, in Unix milliseconds. */
export type Commits = { event: string; at: number }[];

async function main(): Promise<void> {
  prepareProcess();
  const { app } = await startGateway(loadConfiguration(process.env));
  const [database, events] = [app.get(Database), app.get(DomainEvents)];
  const receivers = process.env['RECEIVERS']!.split(' ');
  for (const url of receivers) {
    const id = newUuid();
    await database.query(REGISTER, [id, url, app.get(SecretBox).seal(SECRET, id)]);
  }

  let committed: DomainEvent[] = [];

  function prepare({ count = 0 }): Promise<void> {
    committed = Array.from({ length: count }, () => events.create('message.sent', SENT));
    return Promise.resolve();
  }

  /** Commits the prepared events with their dispatches, and resolves when an attempt for each dispatch is recorded. */
  async function deliver(): Promise<void> {
    const since = new Date();
    const count = committed.length * receivers.length;
    for (let from = 0; from < committed.length; from += COMMITTED_TOGETHER) {
      await events.record(...committed.slice(from, from + COMMITTED_TOGETHER));
    }
    for (;;) {
      const [row] = await database.query<{ count: number }>(RECORDED, [since]);
      if (row!.count >= count) return;
      await sleep(Math.max(5, ((count - row!.count) * 1_000) / FASTEST));
    }
  }

  /** Open loop: commits each event alone and on time, like a send. */
  function commit({ perSecond = 1, seconds = 1 }): Promise<Commits> {
    return onTimetable({ perSecond, seconds }, async () => {
      const event = events.create('message.sent', SENT);
      const [row] = await database.query<{ at: number }>(COMMIT, [eventRows([event])]);
      events.publish([event]);
      return { event: toPublicId('event', event.id), at: row!.at };
    });
  }

  listen({ prepare, deliver, commit });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
