import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';
import { connect, type DoctorDatabase } from '../../core/doctor/doctor-database';

/** Two addresses lead to one database when the server started at the same moment and both name it alike. */
const IDENTITY = `SELECT pg_postmaster_start_time()::text || ' ' || current_database() AS identity`;

/** DATABASE_DIRECT_URL beside DATABASE_URL. */
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
      return [finding('database.direct-unreachable', describeError(error))];
    }
    const [row] = await this.database.query<{ identity: string }>(IDENTITY);
    if (row!.identity === direct) return [healthy(this.name, 'DATABASE_DIRECT_URL leads to the same database')];
    return [finding('database.direct-differs', 'DATABASE_DIRECT_URL leads to another server or database')];
  }
}
