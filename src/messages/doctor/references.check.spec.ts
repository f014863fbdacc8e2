import { newUuid } from '#contracts';
import { sharedPostgres, withClient } from '../../../test/support/postgres';
import { DoctorDatabase } from '../../core/doctor/doctor-database';
import { ReferencesCheck } from './references.check';

describe(ReferencesCheck.name, () => {
  it('reports rows that refer to a missing conversation or message: references.broken', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const database = new DoctorDatabase(() => Promise.resolve(url));
    const check = async () =>
      (await new ReferencesCheck(database).check()).map(({ name, message }) => `${name}: ${message}`);
    try {
      await withClient(url, async (client) => {
        const [conversation, message] = [newUuid(), newUuid()];
        await client.query(
          `INSERT INTO conversations (id, environment, platform, participant_id, created_at, last_message_at)
           VALUES ($1, 'live', 'telegram', '5', now(), now())`,
          [conversation],
        );
        const store = async (id: string, names: string) => {
          await client.query(
            `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
             VALUES ($1, 'live', $2, 1, 'telegram', 'outbound', 'Hi', 'sent', now())`,
            [id, names],
          );
        };
        const storePart = (names: string, index: number) =>
          client.query(
            `INSERT INTO message_parts (message_id, part_index, environment, platform, status, recorded_at)
             VALUES ($1, $2, 'live', 'telegram', 'sent', now())`,
            [names, index],
          );
        await store(message, conversation);
        await storePart(message, 0);
        await client.query(`INSERT INTO reply_tasks (conversation_id, environment) VALUES ($1, 'live')`, [
          conversation,
        ]);
        expect(await check()).toEqual([
          'references: the newest 100,000 messages, parts and replies refer to existing rows',
        ]);
        await store(newUuid(), newUuid());
        const lost = newUuid();
        await storePart(lost, 0);
        await storePart(lost, 1);
        await client.query(`INSERT INTO reply_tasks (conversation_id, environment) VALUES ($1, 'live')`, [newUuid()]);
        expect(await check()).toEqual(['references.broken: messages: 1, message_parts: 2, reply_tasks: 1']);
      });
    } finally {
      await database.close();
    }
  });
});
