import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';
import { connect, type DoctorDatabase } from '../../core/doctor/doctor-database';

/** Two addresses lead to the same database if server start time and database name are equal. */
const IDENTITY = `SELECT pg_postmaster_start_time()::text || ' ' || current_database() AS identity`;

/** Checks that DATABASE_DIRECT_URL and DATABASE_URL lead to the same database. */
export class DirectUrlCheck implements DoctorCheck {
  readonly name = 'database';
  readonly variables = ['DATABASE_URL', 'DATABASE_DIRECT_URL'];

  constructor(
    private readonly directUrl: string,
    private readonly database: DoctorDatabase,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    let direct: string;
    try {
      const client = await connect(this.directUrl);
      try {
        const { rows } = await client.query<{ identity: string }>(IDENTITY);
        direct = rows[0]!.identity;
      } finally {
        await client.end().catch(() => undefined);
      }
    } catch (error) {
      return [finding('database.direct', describeError(error))];
    }
    const [row] = await this.database.query<{ identity: string }>(IDENTITY);
    if (row!.identity === direct) return [healthy(this.name, 'DATABASE_DIRECT_URL leads to the same database')];
    return [finding('database.direct', 'DATABASE_DIRECT_URL is another server or database')];
  }
}
