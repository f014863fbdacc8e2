import { addressGroup } from '../../core/rate-limiting/address-group';
import type { AuditRow } from './audit.rows';

const MINUTE_MS = 60_000;
/** A row that requests of one key, or one address without a known key, share by route, status and minute. */
type SharedRow = AuditRow & Required<Pick<AuditRow, 'count' | 'last_at'>>;

/** The shared rows: any number of refused requests costs one row a minute per key or address, route and status. */
export class SharedRows {
  private minute = 0;
  private readonly rows = new Map<string, SharedRow>();
  private readonly waiting = new WeakSet<AuditRow>();

  /**
   * Adds a request to its shared row.
   * @param at Unix milliseconds
   * @returns the row if it must be queued for a write; undefined if it is queued already
   */
  add(row: AuditRow, at: number): AuditRow | undefined {
    const shared = this.count(row, at);
    if (this.waiting.has(shared)) return undefined;
    this.waiting.add(shared);
    return shared;
  }

  /** Call it before the rows are written: later requests then queue their row again. */
  taken(rows: readonly AuditRow[]): void {
    for (const row of rows) this.waiting.delete(row);
  }

  private count(row: AuditRow, at: number): SharedRow {
    const minute = Math.floor(at / MINUTE_MS);
    if (minute !== this.minute) this.rows.clear();
    this.minute = minute;
    const { api_key_id: keyId } = row;
    const address = addressGroup(row.client_ip);
    const name = `${keyId ?? address} ${row.status} ${row.route}`;
    const shared = this.rows.get(name);
    if (shared) {
      shared.count += 1;
      shared.last_at = row.created_at;
      return shared;
    }
    const whose = keyId === null && { environment: null, masked_key: null, client_ip: address };
    const first = { ...row, ...whose, count: 1, last_at: row.created_at };
    this.rows.set(name, first);
    return first;
  }
}
