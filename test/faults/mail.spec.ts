import { SmtpFake } from '../fakes/smtp.fake';
import { eventually } from '../support/eventually';
import { BreakablePostgres } from './breakable-postgres';
import { Deployment } from './deployment';

describe('mail to the owner', () => {
  let postgres: BreakablePostgres;
  let smtp: SmtpFake;
  let deployment: Deployment;

  beforeAll(async () => {
    postgres = await BreakablePostgres.start();
    smtp = await new SmtpFake().start();
    const env = { SMTP_URL: smtp.url, OWNER_EMAIL: 'owner@example.com', WEBHOOK_RETRY_SCHEDULE: '0,0,0,0,1' };
    deployment = await Deployment.create({ databaseUrl: postgres.url, env });
  }, 90_000);
  afterAll(async () => {
    await deployment?.stop();
    await postgres?.stop();
  });

  it('is sent once if the database fails right after the mail server accepted it', async () => {
    const instance = await deployment.startInstance();
    const id = await deployment.register(instance, ['message.sent']);
    deployment.refuse(Infinity);
    let crashed = Promise.resolve();
    smtp.beforeAnswer = () => (crashed = postgres.crash());
    await deployment.send(instance);
    await eventually('the mail arrives', () => expect(smtp.mails).toHaveLength(1), { timeoutMs: 20_000 });
    await crashed;
    await eventually('the gateway notices that the database is away', async () => {
      expect((await instance.api('GET', '/health/ready')).status).toBe(503);
    });
    await postgres.restart();
    const startedAt = performance.now();
    const [row] = await eventually('it is recorded as sent', async () => {
      const rows = await deployment.sql<{ id: string; subject: string }>(
        'SELECT id, subject FROM mail_outbox WHERE sent_at IS NOT NULL AND next_at IS NULL',
      );
      expect(rows).toHaveLength(1);
      return rows;
    });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(`  PostgreSQL crashed under a mail: recorded ${seconds} s after its start, sent once\n`);
    expect(row!.subject).toBe(`Webhook ${id} has failed`);
    // By which a mail server, or the owner's mail program, knows a second copy of a process that was killed right there.
    expect(smtp.mails[0]!.source).toContain(`Message-ID: <${row!.id}@messaging-gateway>`);
    expect((await deployment.allArrive({ failed: 1 })).times).toEqual([]);
    expect(smtp.mails).toHaveLength(1);
  }, 90_000);
});
