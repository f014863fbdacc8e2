import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { Backup, BackupsQuery } from '../types';

/** For live keys. */
export class Backups {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Starts a backup, or answers with the one that runs. `get` tells how it ended. */
  start(options?: RequestOptions): Promise<Backup> {
    return this.transport.call('post', '/api/v1/admin/backups', {}, options);
  }

  list(query?: BackupsQuery, options?: RequestOptions): List<Backup> {
    return this.transport.list('/api/v1/admin/backups', { query }, options, { isDated: true });
  }

  get(id: string, options?: RequestOptions): Promise<Backup> {
    return this.transport.call('get', '/api/v1/admin/backups/{backup_id}', { path: { backup_id: id } }, options);
  }
}
