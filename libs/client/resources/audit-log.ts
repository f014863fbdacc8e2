import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { AuditEntry, AuditLogListParams } from '../types';

export class AuditLog {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** The requests to the gateway, newest first. */
  list(query?: AuditLogListParams, options?: RequestOptions): List<AuditEntry> {
    return this.transport.list('/api/v1/admin/audit-log', { query }, options, { isDated: true });
  }
}
