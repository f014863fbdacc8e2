import { eventually } from '../support/eventually';
import { startTestGateway } from '../support/gateway';

describe('the component workers', () => {
  it('is degraded once due work has waited for a minute', async () => {
    const gateway = await startTestGateway();
    const workers = async () => {
      const { body } = await gateway.api<{ components: Record<string, string> }>('GET', '/status');
      return body.data.components['workers'];
    };
    const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
    // The trigger undoes each update, so no worker can take the lease of this mail.
    await gateway.sql(`CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER skip BEFORE UPDATE ON mail_outbox FOR EACH ROW EXECUTE FUNCTION skip()`);
    await gateway.sql(`INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
      VALUES (gen_random_uuid(), 'live', 'Hello', 'Hello', now(), now())`);
    await eventually('it is counted', async () =>
      expect(await metrics()).toMatch(/^gateway_due_work\{kind="owner-mail"\} 1$/m),
    );
    expect(await workers()).toBe('healthy');
    const becomes = (word: string, timeoutMs: number) =>
      eventually(`workers are ${word}`, async () => expect(await workers()).toBe(word), { timeoutMs, everyMs: 100 });
    await becomes('degraded', 75_000);
    expect(await metrics()).toMatch(/^gateway_due_work_oldest_seconds\{kind="owner-mail"\} 6\d/m);
    await gateway.sql('DROP TRIGGER skip ON mail_outbox');
    await becomes('healthy', 20_000);
  }, 120_000);
});
