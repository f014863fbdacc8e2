import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/core/database/data-source';
import { ADD_SPAN } from '../../../src/messages/list/message-rollup.rows';
import { MessageRollup } from '../../../src/messages/list/message-rollup.service';
import { startTestGateway } from '../../support/gateway';
import { sharedPostgres } from '../../support/postgres';
import { withClient } from '../../support/with-client';

const MESSAGES = 20_000;

describe('Large tables', () => {
  it('have no statement compiled, whatever the server does otherwise', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    await withClient(url, (client) => client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET jit = on`));
    expect(await withClient(url, async (client) => (await client.query('SHOW jit')).rows)).toEqual([{ jit: 'on' }]);
    const dataSource = await new DataSource(dataSourceOptions(url)).initialize();
    try {
      expect(await dataSource.query('SHOW jit')).toEqual([{ jit: 'off' }]);
    } finally {
      await dataSource.destroy();
    }
  });

  it('are not read as a whole by the roll-up of messages', async () => {
    const gateway = await startTestGateway();
    await gateway.sql(
      `WITH conversation AS (
         INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
         VALUES (gen_random_uuid(), 'live', 'whatsapp', '1', ${MESSAGES}, now(), now()) RETURNING id
       )
       INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
       SELECT gen_random_uuid(), 'live', id, i, 'whatsapp', 'inbound', 'Message ' || i, 'received', now() - i * interval '1 minute'
       FROM conversation, generate_series(1, ${MESSAGES}) i`,
    );
    await gateway.sql('ANALYZE messages');
    const hour = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)];
    const plan = await withClient(gateway.databaseUrl, async (client) => {
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${ADD_SPAN.text}`, ['messages', ...hour]);
      return rows.map((line) => line['QUERY PLAN']).join('\n');
    });
    expect(plan).toMatch(/Index (Only )?Scan using \w+ on messages|Bitmap Heap Scan on messages/);
    expect(plan).not.toContain('Seq Scan on messages');
    await gateway.app.get(MessageRollup).rollUp();
    const [counted] = await gateway.sql('SELECT sum(count)::integer AS count FROM message_counts');
    expect(counted).toEqual({ count: MESSAGES });
  });
});
