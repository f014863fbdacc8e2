import { Client } from 'pg';
import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { isolatesPreparedStatements } from '../../core/database/connections/pooler-check.service';
import { REFUSED_BY_POOLER } from '../../core/database/data-source';
import { describeError } from '../../core/doctor/describe-error';
import { connect } from '../../core/doctor/doctor-database';

/** Several, because a busy pooler gives its connections to other clients in between. */
const TRIES = 5;

/** Checks whether DATABASE_URL leads to a pooler, which needs further variables. */
export class PoolerCheck implements DoctorCheck {
  readonly name = 'database';
  readonly variables = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_PREPARED'];

  constructor(
    private readonly url: string,
    private readonly configuration: Pick<Configuration, 'databaseDirectUrl' | 'databasePrepared'>,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const clients: Client[] = [];
    try {
      for (let n = 0; n < 2; n += 1) clients.push(await connect(this.url));
    } catch {
      throw new NotCheckable('the pooler was not checked, because the database cannot be reached');
    }
    const [first, second] = clients as [Client, Client];
    try {
      const { databaseDirectUrl, databasePrepared } = this.configuration;
      const isPooler = (await shareConnections(first, second)) || (await this.refusesLimits());
      const findings: DoctorFinding[] = [];
      if (isPooler && databaseDirectUrl === undefined)
        findings.push(finding('database.pooler', 'The clients of DATABASE_URL share connections to the server'));
      if (isPooler && databasePrepared && !(await isolatesPreparedStatements(first, second)))
        findings.push(finding('database.pooler', 'DATABASE_PREPARED is true, and a statement was lost in the pooler'));
      if (findings.length > 0) return findings;
      return [healthy(this.name, isPooler ? 'the pooler works for the gateway' : 'no pooler before the server')];
    } finally {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    }
  }

  /** In every mode, PgBouncer refuses the session settings that the gateway sends without DATABASE_DIRECT_URL. */
  private async refusesLimits(): Promise<boolean> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 15_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return false;
    } catch (error) {
      return describeError(error).startsWith(REFUSED_BY_POOLER);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Whether two clients got the same server connection: then a pooler assigns connections per transaction. */
async function shareConnections(first: Client, second: Client): Promise<boolean> {
  for (let n = 0; n < TRIES; n += 1) if ((await serverProcess(first)) === (await serverProcess(second))) return true;
  return false;
}

async function serverProcess(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}
