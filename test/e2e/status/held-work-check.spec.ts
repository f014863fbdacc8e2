import { newUuid } from '#contracts';
import { sharedPostgres, withClient } from '../../support/postgres';
import { DoctorDatabase } from '../../../src/core/doctor/doctor-database';
import { HOLD_DISPATCHES } from '../../../src/webhooks/dispatch/dispatch.rows';
import { HOLD_MAIL } from '../../../src/webhooks/mail/mail-outbox.rows';
import { HeldWorkCheck } from '../../../src/status/doctor/held-work.check';

describe(HeldWorkCheck.name, () => {
  let url: string;
  let database: DoctorDatabase;
  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase();
    database = new DoctorDatabase(() => Promise.resolve(url));
  });
  afterAll(() => database.close());

  const check = async () =>
    (await new HeldWorkCheck(database).check()).map(({ name, message }) => `${name}: ${message}`);

  it('counts deliveries held by a restore in both environments: restore.held', async () => {
    expect(await check()).toEqual(['restore: no work is held']);
    await withClient(url, async (client) => {
      for (const environment of ['live', 'test']) {
        const webhook = newUuid();
        await client.query(
          `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
           VALUES ($1, $2, 'https://example.com/', '{*}', '', now(), now())`,
          [webhook, environment],
        );
        await client.query(
          `INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at) VALUES ($1, $2, now(), now())`,
          [newUuid(), webhook],
        );
      }
      await client.query(
        `INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
         VALUES ($1, 'live', 'Due', 'Due', now(), now())`,
        [newUuid()],
      );
      expect(await check()).toEqual(['restore: no work is held']);
      await client.query(HOLD_DISPATCHES);
      await client.query(HOLD_MAIL);
    });
    expect(await check()).toEqual(['restore.held: Webhook deliveries held: 2; mails held: 1']);
  });
});
