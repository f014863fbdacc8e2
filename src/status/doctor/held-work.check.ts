import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { COUNT_HELD_WORK, type HeldWorkRow } from '../held-work.rows';

/** Whether the operator has forgotten `gateway webhooks resume` after a restore. */
export class HeldWorkCheck implements DoctorCheck {
  readonly name = 'restore';
  readonly variables = ['DATABASE_URL'];

  constructor(private readonly database: DoctorDatabase) {}

  async check(): Promise<DoctorFinding[]> {
    const rows = await this.database.query<HeldWorkRow>(COUNT_HELD_WORK);
    const sum = (kind: 'deliveries' | 'mails') => rows.reduce((total, row) => total + row[kind], 0);
    const [deliveries, mails] = [sum('deliveries'), sum('mails')];
    if (deliveries + mails === 0) return [healthy(this.name, 'no work is held')];
    return [finding('restore.held', `Webhook deliveries held: ${deliveries}; mails held: ${mails}`)];
  }
}
