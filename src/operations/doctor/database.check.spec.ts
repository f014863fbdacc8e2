import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DoctorCheck, newUuid, toPublicId } from '#contracts';
import { sharedPostgres, withClient } from '../../../test/support/postgres';
import { loadConfiguration } from '../../core/config/load-configuration';
import { DatabaseNotMade, DoctorDatabase } from '../../core/doctor/doctor-database';
import { configuredFingerprints } from '../../core/secrets/deployment-secrets';
import { backupFileName } from '../backups/archive/manifest';
import { BackupsCheck } from './backups.check';
import { DatabaseCheck } from './database.check';
import { DirectUrlCheck } from './direct-url.check';
import { MailCheck } from './mail.check';
import { SecretsCheck } from './secrets.check';

/** The database of all tests; each test leaves it unchanged. */
let shared: string;
let url: string;
let open: DoctorDatabase[];

beforeAll(async () => {
  shared = await (await sharedPostgres()).createDatabase();
});
beforeEach(() => {
  url = shared;
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((database) => database.close()));
  await withClient(shared, (client) => client.query('TRUNCATE deployment, settings, backups, api_keys CASCADE'));
});

/** Gives a test that changes more than rows its own database. */
async function useFreshDatabase(): Promise<void> {
  url = await (await sharedPostgres()).createDatabase();
}

function databaseAt(address: string): DoctorDatabase {
  const database = new DoctorDatabase(() => Promise.resolve(address));
  open.push(database);
  return database;
}

const sql = (...statements: string[]) => withClient(url, (client) => client.query(statements.join('; ')));

/** The findings as lines of text. */
async function linesOf(check: DoctorCheck): Promise<string[]> {
  const found = await check.check(AbortSignal.timeout(20_000));
  return found.map(({ name, message }) => `${name}: ${message}`);
}

describe(DatabaseCheck.name, () => {
  const check = (database = databaseAt(url), { isEmbedded = false, hasRedis = false } = {}) =>
    linesOf(new DatabaseCheck(database, isEmbedded, hasRedis));

  /** The same database, with some facts of the server replaced. */
  class OtherServer extends DoctorDatabase {
    constructor(private readonly said: object) {
      super(() => Promise.resolve(url));
      open.push(this);
    }

    override async connect() {
      const client = await super.connect();
      const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<{ rows: object[] }>;
      const otherwise = async (text: string, values?: unknown[]) => {
        const { rows } = await query(text, values);
        return { rows: text.includes('version_number') ? [{ ...rows[0], ...this.said }] : rows };
      };
      return Object.assign(Object.create(client) as typeof client, { query: otherwise });
    }
  }

  it('reports version and connections of a healthy database', async () => {
    expect(await check()).toEqual([
      expect.stringMatching(/^database: PostgreSQL \d+\.\d+, schema up to date, \d+ connections left$/),
    ]);
  });

  it('reports a server that does not respond', async () => {
    expect(await check(databaseAt('postgres://gateway:hunter2@127.0.0.1:9/gateway'))).toEqual([
      'database.unreachable: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:9',
    ]);
  });

  it('reports a wrong password, without showing it', async () => {
    const wrong = new URL(url);
    wrong.password = 'hunter2';
    expect(await check(databaseAt(wrong.href))).toEqual([
      'database.unreachable: The database cannot be reached: password authentication failed for user "gateway"',
    ]);
  });

  it('reports a server that does not support the requested encryption', async () => {
    const encrypted = new URL(url);
    encrypted.searchParams.set('sslmode', 'verify-full');
    expect(await check(databaseAt(encrypted.href))).toEqual([
      'database.unreachable: The database cannot be reached: The server does not support SSL connections',
    ]);
  });

  it('reports a missing database', async () => {
    const missing = new URL(url);
    missing.pathname = '/nowhere';
    expect(await check(databaseAt(missing.href))).toEqual([
      'database.unreachable: The database cannot be reached: database "nowhere" does not exist',
    ]);
  });

  it('reports an embedded server that does not start, and one that is not created yet', async () => {
    const broken = new DoctorDatabase(() => Promise.reject(new Error('The embedded PostgreSQL did not start: why')));
    expect(await check(broken, { isEmbedded: true })).toEqual([
      'database.unreachable: The database cannot be reached: The embedded PostgreSQL did not start: why',
    ]);
    const fresh = new DoctorDatabase(() =>
      Promise.reject(new DatabaseNotMade('DATA_DIR is /data: it has no database')),
    );
    expect(await check(fresh, { isEmbedded: true })).toEqual([
      'database.not-made: DATA_DIR is /data: it has no database',
    ]);
  });

  it('reports a read-only database', async () => {
    await useFreshDatabase();
    await sql(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
    );
    expect(await check()).toEqual(['database.refuses-writes: The database is read-only']);
  });

  it('reports tables that the role may not use', async () => {
    await useFreshDatabase();
    await sql('REVOKE INSERT ON messages, events FROM CURRENT_USER');
    expect(await check()).toEqual(['database.refuses-writes: The role may not read and write 2 tables (events …)']);
  });

  it('reports a role that may not create tables or read the applied migrations', async () => {
    await useFreshDatabase();
    await sql('REVOKE CREATE ON SCHEMA public FROM pg_database_owner', 'REVOKE SELECT ON migrations FROM CURRENT_USER');
    const lacking = [
      'The role may not create tables in the schema',
      'nor read the table of migrations',
      'nor read and write 1 tables (migrations …)',
    ];
    expect(await check()).toEqual([`database.refuses-writes: ${lacking.join(', ')}`]);
  });

  it('reports a role that may create nothing, not even pg_trgm for the search', async () => {
    await useFreshDatabase();
    await sql(`DO $$ BEGIN EXECUTE format('REVOKE ALL ON DATABASE %I FROM CURRENT_USER', current_database()); END $$`);
    const noTrigrams = 'database.no-trigrams: pg_trgm is not installed, and this role cannot create it';
    const noSchema = 'database.refuses-writes: The role may not create a schema for the queues';
    expect(await check()).toEqual([noTrigrams, noSchema]);
    expect(await check(databaseAt(url), { hasRedis: true })).toEqual([noTrigrams]);
  });

  it('reports that few connections are left, and that none are left', async () => {
    await useFreshDatabase();
    const name = new URL(url).pathname.slice(1);
    // Set from another database, so that only the doctor's connection counts.
    const limit = (most: number) =>
      withClient(shared, (client) => client.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${most}`));
    await limit(11);
    expect(await check()).toEqual(['database.connections-few: 10 connections are left']);
    const [doctor] = open;
    await limit(1);
    expect(await check(doctor)).toEqual(['database.connections-few: 0 connections are left']);
    await limit(0);
    expect(await check(databaseAt(url))).toEqual([
      expect.stringMatching(
        /^database\.unreachable: The database cannot be reached: too many connections for database/,
      ),
    ]);
  });

  it('reports migrations of a newer version; the start runs pending ones', async () => {
    await useFreshDatabase();
    await sql(`UPDATE migrations SET name = 'AddTheFuture4000000000000' WHERE id = (SELECT max(id) FROM migrations)`);
    expect(await check()).toEqual([
      'database.migrations-ahead: The database has migrations of a newer version: AddTheFuture4000000000000',
    ]);
    const empty = await (await sharedPostgres()).createEmptyDatabase();
    expect(await check(databaseAt(empty))).toEqual([
      expect.stringMatching(/^database: PostgreSQL .*, the start runs \d+ migrations, \d+ connections left$/),
    ]);
  });

  it('reports a server that is too old', async () => {
    expect(await check(new OtherServer({ version: '13.4', version_number: 130_004 }))).toEqual([
      'database.too-old: PostgreSQL 13.4 is older than 15',
    ]);
  });
});

describe(DirectUrlCheck.name, () => {
  const check = (direct: string) => linesOf(new DirectUrlCheck(direct, databaseAt(url)));

  it('accepts another address of the same database', async () => {
    expect(await check(url)).toEqual(['database: DATABASE_DIRECT_URL leads to the same database']);
  });

  it('reports a direct URL that does not respond, or leads to another database', async () => {
    expect(await check('postgres://127.0.0.1:9/gateway')).toEqual([
      'database.direct: connect ECONNREFUSED 127.0.0.1:9',
    ]);
    expect(await check(await (await sharedPostgres()).createEmptyDatabase())).toEqual([
      'database.direct: DATABASE_DIRECT_URL is another server or database',
    ]);
  });
});

describe('with a data directory', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'doctor-data-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  describe(SecretsCheck.name, () => {
    const pepper = 'the pepper of this deployment';
    const check = (env: NodeJS.ProcessEnv) => {
      const configuration = loadConfiguration({ DATA_DIR: dataDir, ...env });
      return linesOf(new SecretsCheck(configuration, databaseAt(url)));
    };
    const used = async () => {
      const prints = await configuredFingerprints(loadConfiguration({ API_KEY_PEPPER: pepper }));
      const rows = Object.entries(prints).map(([name, value]) => `('${name} fingerprint', '${value}')`);
      await sql(`INSERT INTO deployment (name, value) VALUES ${rows.join()}`);
    };

    it('accepts the secrets of the database from the environment and from the file', async () => {
      expect(await check({})).toEqual(['secrets: the database was not used yet']);
      await used();
      const well = ['secrets: the secrets are those of the database'];
      expect(await check({ API_KEY_PEPPER: pepper })).toEqual(well);
      writeFileSync(join(dataDir, 'pepper'), `${pepper}\n`);
      expect(await check({})).toEqual(well);
    });

    it('reports a different pepper, a different key, and a missing or truncated pepper file', async () => {
      await used();
      expect(await check({ API_KEY_PEPPER: 'another pepper than that' })).toEqual([
        'secrets.differ: API_KEY_PEPPER is not the one that this database was used with',
      ]);
      expect(await check({ API_KEY_PEPPER: pepper, SECRETS_KEY: 'another key than that' })).toEqual([
        'secrets.differ: SECRETS_KEY is not the one that this database was used with',
      ]);
      const path = join(dataDir, 'pepper');
      expect(await check({})).toEqual([`secrets.differ: ${path} does not exist`]);
      writeFileSync(path, 'cut');
      expect(await check({})).toEqual([
        `secrets.differ: ${path} is damaged: restore it from a backup, or set API_KEY_PEPPER`,
      ]);
    });
  });

  describe(MailCheck.name, () => {
    it('reports a missing owner; the settings take precedence over OWNER_EMAIL', async () => {
      const check = (env: NodeJS.ProcessEnv) =>
        linesOf(new MailCheck(loadConfiguration({ SMTP_URL: 'smtp://127.0.0.1:9', ...env }), databaseAt(url)));
      expect(await check({})).toContain('mail.no-owner: The owner has no mail address');
      expect(await check({ OWNER_EMAIL: 'owner@example.com' })).toHaveLength(1);
      await sql(
        `INSERT INTO settings (environment, document) VALUES ('live', '{"notifications": {"owner_email": null}}')`,
      );
      expect(await check({ OWNER_EMAIL: 'owner@example.com' })).toContain(
        'mail.no-owner: The owner has no mail address',
      );
    });
  });

  describe(BackupsCheck.name, () => {
    const DAY_MS = 86_400_000;
    const folder = newUuid();
    const nameOfBackup = () => backupFileName(toPublicId('backup', newUuid()), new Date().toISOString(), false);
    const check = (env: NodeJS.ProcessEnv = {}) => {
      const { backups } = loadConfiguration({ BACKUP_DIR: dataDir, ...env });
      return linesOf(new BackupsCheck(backups, databaseAt(url)));
    };
    const backup = async (ageMs: number, status = 'completed', file = nameOfBackup()): Promise<string> => {
      const at = new Date(Date.now() - ageMs).toISOString();
      await sql(
        `INSERT INTO backups (id, status, trigger, started_at, finished_at, size_bytes, error, file, folder) VALUES ('${newUuid()}',
         '${status}', 'cli', '${at}', '${at}', 5000000, ${status === 'failed' ? `'ENOSPC'` : 'NULL'}, '${file}', '${folder}')`,
      );
      writeFileSync(join(dataDir, 'this-folder.id'), folder);
      if (status === 'completed') writeFileSync(join(dataDir, file), 'x');
      return file;
    };
    const key = (ageMs: number) =>
      sql(
        `INSERT INTO api_keys (id, environment, name, digest, last_four, scopes, tier, allowed_ips, created_at)
         VALUES ('${newUuid()}', 'live', 'Key', sha256('${newUuid()}'), 'abcd', '{*}', 'elite', '{}', now() - interval '${ageMs} ms')`,
      );

    it('reports the newest backup', async () => {
      expect(await check()).toEqual(['backups: none yet']);
      await backup(DAY_MS);
      expect(await check()).toEqual([expect.stringMatching(/^backups: the newest is of 20\d\d-\d\d-\d\d \d\d:\d\d$/)]);
    });

    it('reports overdue scheduled backups', async () => {
      await backup(49 * 3_600_000);
      expect(await check({ BACKUP_SCHEDULE: '0 3 * * *' })).toEqual([
        expect.stringMatching(/^backups\.failing: The newest backup is of .*; BACKUP_SCHEDULE is 0 3 \* \* \*$/),
      ]);
      expect(await check({ BACKUP_SCHEDULE: '0 3 * * 0' })).toEqual([expect.stringMatching(/^backups: /)]);
    });

    it('reports that no scheduled backup was ever made', async () => {
      await key(49 * 3_600_000);
      expect(await check({ BACKUP_SCHEDULE: '0 3 * * *' })).toEqual([
        'backups.failing: There is no backup; BACKUP_SCHEDULE is 0 3 * * *',
      ]);
    });

    it('reports that a gateway in use has no backup of the last seven days', async () => {
      await key(6 * DAY_MS);
      expect(await check()).toEqual(['backups: none yet']);
      await key(8 * DAY_MS);
      expect(await check()).toEqual(['backups.none: There is no backup']);
      await backup(9 * DAY_MS);
      expect(await check()).toEqual([expect.stringMatching(/^backups\.none: The newest backup is of /)]);
    });

    it('reports that the last backup failed, and that the file of another backup is missing', async () => {
      const file = await backup(3_600_000);
      rmSync(join(dataDir, file));
      await backup(60_000, 'failed');
      expect(await check()).toEqual([
        expect.stringMatching(/^backups\.failing: The backup of .* failed: ENOSPC$/),
        `backups.file-missing: 1 of 1 files are not in BACKUP_DIR: ${file}`,
      ]);
    });

    it('reports an invalid key file, even if the database cannot be reached', async () => {
      const keyFile = join(dataDir, 'key');
      writeFileSync(keyFile, 'not a key');
      chmodSync(keyFile, 0o600);
      const [line] = await check({ BACKUP_KEY_FILE: keyFile });
      expect(line).toBe(`backups.key-file: BACKUP_KEY_FILE: ${keyFile} must hold 32 bytes as 64 hexadecimal digits`);
      const { backups } = loadConfiguration({ BACKUP_DIR: dataDir, BACKUP_KEY_FILE: keyFile });
      const away = databaseAt('postgres://127.0.0.1:9/gateway');
      expect(await linesOf(new BackupsCheck(backups, away))).toEqual([line]);
      writeFileSync(keyFile, 'ab'.repeat(32));
      expect(await check({ BACKUP_KEY_FILE: keyFile })).toEqual(['backups: none yet']);
    });
  });
});
