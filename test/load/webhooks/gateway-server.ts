import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '#contracts';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { Database, statement } from '../../../src/core/database/database';
import { DomainEvents } from '../../../src/core/events/domain-events';
import { startGateway } from '../../../src/gateway';
import { SecretBox } from '../../../src/webhooks/secret-box';
import { SECRET, SENT } from './bodies';
import { listen } from './control-server';

/** Events committed by one statement, as concurrent sends of a busy instance are. */
const COMMITTED_TOGETHER = 25;

/** Statements that commit events at once. */
const COMMITTERS = 4;

const REGISTER = statement(
  'bench-register',
  `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
   VALUES ($1, 'live', $2, '{message.sent}', $3, now(), now())`,
);
const RECORDED = statement(
  'bench-recorded',
  `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE status = 'success'`,
);

async function main(): Promise<void> {
  const { app } = await startGateway(loadConfiguration(process.env));
  const [database, events] = [app.get(Database), app.get(DomainEvents)];
  const id = newUuid();
  await database.query(REGISTER, [id, process.env['RECEIVER'], app.get(SecretBox).seal(SECRET, id)]);
  let expected = 0;

  listen(async (count) => {
    expected += count;
    let left = count;
    const commit = async () => {
      while (left > 0) {
        const together = Math.min(left, COMMITTED_TOGETHER);
        left -= together;
        await events.record(...Array.from({ length: together }, () => events.create('message.sent', SENT)));
      }
    };
    await Promise.all(Array.from({ length: COMMITTERS }, commit));
    for (;;) {
      const [row] = await database.query<{ count: number }>(RECORDED, []);
      if (row!.count >= expected) return;
      await sleep(5);
    }
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
