import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';

const ROUNDS = 4;
/** Requests under way when the instance dies. */
const CONCURRENT = 24;

interface Day {
  day: string;
  counted: number;
  /** By the messages. */
  owed: number;
}

describe('the count of billable messages per day, while instances are killed', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.create();
  });

  afterAll(() => deployment.stop());

  /** Sends, refusals by the platform, scheduled messages, and cancellations, until the instance is gone. */
  async function traffic(instance: GatewayProcess): Promise<void> {
    const send_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const requests = [
      { recipient: '493012345', message: 'Hello' },
      { recipient: '493012346', message: 'word '.repeat(1_500) },
      { recipient: 'sandbox_fail', message: 'Refused' },
      { recipient: '493012347', message: 'Later', send_at },
    ];
    const one = async (first: number) => {
      for (let index = first; ; index++) {
        const body = { platform: 'whatsapp', ...requests[index % requests.length]! };
        const answer = await instance
          .api<{ message_id: string; status: string }>('POST', '/messages/send', body)
          .catch(() => undefined);
        if (!answer) return;
        expect(answer.status).toBe(200);
        if (answer.body.data.status === 'scheduled' && index % 3 === 0)
          await instance.api('DELETE', `/messages/${answer.body.data.message_id}`).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, (_, index) => one(index)));
  }

  const days = () =>
    deployment.sql<Day>(
      `SELECT d.day::text, d.messages AS counted, (
         SELECT coalesce(sum((m.options -> 'reserved' ->> 'messages')::int), 0)::int FROM messages m
         WHERE m.options -> 'reserved' ->> 'day' = d.day::text AND m.status IN ('pending', 'scheduled', 'sent', 'delivered')
       ) AS owed
       FROM billable_days d ORDER BY d.day`,
    );

  it('matches the messages that are stored and neither failed nor cancelled', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const instance = await deployment.startInstance();
      const limit = { rate_limits: { billable_messages_per_day: 1_000_000, messages_per_minute: 100_000 } };
      expect((await instance.api('PATCH', '/admin/settings', limit)).status).toBe(200);
      const sending = traffic(instance);
      await sleep(400 + 150 * round);
      await instance.kill();
      await sending;
    }
    // The statements of the dead process have ended.
    await eventually('no transaction is open', async () =>
      expect(
        await deployment.sql(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
        ),
      ).toEqual([]),
    );
    const counted = await days();
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(counted).toHaveLength(2);
    for (const { counted: messages, owed } of counted) expect({ messages }).toEqual({ messages: owed });
    expect(Math.min(...counted.map(({ owed }) => owed))).toBeGreaterThan(0);
  }, 120_000);
});
