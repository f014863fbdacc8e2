import type { Client } from 'pg';
import { type DoctorCheck, type DoctorFinding, finding, type FindingCode, healthy } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';
import { OLDEST_VERSION } from '../../core/database/data-source';
import { FINISHING, MIGRATIONS } from '../../core/database/migrations';
import { DatabaseNotMade, type DoctorDatabase } from '../../core/doctor/doctor-database';
import { appliedMigrations, closedTables, readFacts, type DatabaseFacts } from './database-facts.rows';

/** Connections that one instance uses: the pool, the queues and the listener. */
const CONNECTIONS_OF_ONE_INSTANCE = 24;

/** `insufficient_privilege`: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INSUFFICIENT_PRIVILEGE = '42501';

export class DatabaseCheck implements DoctorCheck {
  readonly name = 'database';
  readonly variables = ['DATABASE_URL', 'DATA_DIR'];

  constructor(
    private readonly database: DoctorDatabase,
    /** True without DATABASE_URL. */
    private readonly isEmbedded: boolean,
    private readonly hasRedis: boolean,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    try {
      return await this.database.use((client) => this.findings(client));
    } catch (error) {
      return [this.unreachable(error)];
    }
  }

  private async findings(client: Client): Promise<DoctorFinding[]> {
    const facts = await readFacts(client);
    const { version, version_number, read_only, connections_left } = facts;
    const findings: DoctorFinding[] = [];
    const add = (code: FindingCode, message: string): void => void findings.push(finding(code, message));

    if (version_number < OLDEST_VERSION) add('database.too-old', `PostgreSQL ${version} is older than 15`);
    if (read_only) add('database.refuses-writes', 'The database is read-only');
    if (connections_left < CONNECTIONS_OF_ONE_INSTANCE)
      add('database.connections-few', `${Math.max(0, connections_left)} connections are left`);
    if (!facts.has_trigrams && !(facts.offers_trigrams && facts.may_create_schema))
      add('database.no-trigrams', 'pg_trgm is not installed, and this role cannot create it');

    const applied = await appliedMigrations(client);
    const lacking = await this.lackingPrivileges(client, facts, applied);
    if (lacking.length > 0) add('database.refuses-writes', `The role may not ${lacking.join(', nor ')}`);
    const known = MIGRATIONS.map(({ name }) => name);
    const pending = known.filter((name) => applied !== undefined && !applied.includes(name));
    const ahead = (applied ?? []).filter((name) => name !== FINISHING.name && !known.includes(name));
    if (ahead.length > 0)
      add('database.migrations-ahead', `The database has migrations of a newer version: ${ahead.at(-1)}`);

    const kind = this.isEmbedded ? 'embedded PostgreSQL' : 'PostgreSQL';
    const schema = pending.length === 0 ? 'schema up to date' : `the start runs ${pending.length} migrations`;
    const well = `${kind} ${version}, ${schema}, ${connections_left} connections left`;
    return findings.length > 0 ? findings : [healthy(this.name, well)];
  }

  private async lackingPrivileges(
    client: Client,
    facts: DatabaseFacts,
    applied: readonly string[] | undefined,
  ): Promise<string[]> {
    const { may_create_schema, may_create_table, has_queue_schema } = facts;
    const lacking: string[] = [];
    if (!may_create_table) lacking.push('create tables in the schema');
    if (!this.hasRedis && !has_queue_schema && !may_create_schema) lacking.push('create a schema for the queues');
    if (applied === undefined) lacking.push('read the table of migrations');
    const closed = await closedTables(client);
    if (closed.length > 0) lacking.push(`read and write ${closed.length} tables (${closed[0]} …)`);
    return lacking;
  }

  private unreachable(error: unknown): DoctorFinding {
    if (error instanceof DatabaseNotMade) return finding('database.not-made', error.message);
    const reason = describeError(error);
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return finding('database.refuses-writes', reason);
    return finding('database.unreachable', `The database cannot be reached: ${reason}`);
  }
}
