import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupDto } from '../../src/operations/backups/backup.dto';
import { eventually } from '../support/eventually';
import { startTestGateway } from '../support/gateway';
import { databaseVariables, knowsPreparedStatements } from '../support/pooler';
import { sharedPostgres } from '../support/postgres';

const newDatabase = async () => (await sharedPostgres()).createDatabase();

describe('a gateway behind PgBouncer in transaction mode', () => {
  it('does not start without the direct address of the server', async () => {
    const { DATABASE_URL } = await databaseVariables(await newDatabase());
    await expect(startTestGateway({ env: { DATABASE_URL, DATABASE_DIRECT_URL: undefined } })).rejects.toThrow(
      /^The database is behind a pooler: set DATABASE_DIRECT_URL/,
    );
  });

  it('starts with prepared statements only if the pooler supports them', async () => {
    const start = startTestGateway({ env: { DATABASE_PREPARED: 'true' } }).then(
      () => 'started',
      (error: unknown) => String(error),
    );
    expect(await start).toMatch(
      knowsPreparedStatements() ? /^started$/ : /does not know prepared statements: set DATABASE_PREPARED=false/,
    );
  });

  it('keeps the settings of the pooler in its statements', async () => {
    const gateway = await startTestGateway();
    const limits = await gateway.sql(`SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('jit') AS jit`);
    expect(limits).toEqual([{ statement: '15s', idle: '30s', jit: 'off' }]);
  });

  it('receives notifications of another instance at once', async () => {
    const first = await startTestGateway();
    const second = await startTestGateway({ databaseUrl: first.databaseUrl });
    const key = await first.createFreeKey();
    const status = async (gateway: typeof first) => (await gateway.api('GET', '/webhooks', undefined, { key })).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    const keys = await first.api<{ id: string }[]>('GET', '/admin/api-keys?sort=-created_at&per_page=1');
    expect((await first.api('DELETE', `/admin/api-keys/${keys.body.data[0]!.id}`)).status).toBeLessThan(300);
    await eventually('the other instance refuses the revoked key', async () => expect(await status(second)).toBe(401), {
      timeoutMs: 1_000,
    });
  });

  it('creates backups, one at a time', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-test-backups-'));
    try {
      const gateway = await startTestGateway({ env: { BACKUP_DIR: directory } });
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => gateway.api<{ id: string }>('POST', '/admin/backups')),
      );
      // A request that comes when one has ended already begins another.
      const ids = new Set(answers.map(({ body }) => body.data.id));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(ids.size);
      const backups = await eventually('they are complete', async () => {
        const { body } = await gateway.api<BackupDto[]>('GET', '/admin/backups?sort=created_at');
        expect(body.data.map(({ status }) => status)).toEqual([...ids].map(() => 'completed'));
        return body.data;
      });
      for (const [index, { started_at }] of backups.slice(1).entries()) {
        expect(started_at >= backups[index]!.finished_at!).toBe(true);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
