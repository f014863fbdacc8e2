import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { COUNT_ORPHANS, LOOKED_AT, type OrphansRow } from './references.rows';

/** Finds references that foreign keys would have refused; foreign keys would cost time for each message (ADR 116). */
export class ReferencesCheck implements DoctorCheck {
  readonly name = 'references';
  readonly variables = ['DATABASE_URL'];

  constructor(private readonly database: DoctorDatabase) {}

  async check(): Promise<DoctorFinding[]> {
    const [row] = await this.database.query<OrphansRow>(COUNT_ORPHANS);
    const found = Object.entries(row!).filter(([, count]) => count > 0);
    if (found.length > 0)
      return [finding('references.broken', found.map(([table, count]) => `${table}: ${count}`).join(', '))];
    const looked = LOOKED_AT.toLocaleString('en');
    return [healthy(this.name, `the newest ${looked} messages, parts and replies refer to existing rows`)];
  }
}
