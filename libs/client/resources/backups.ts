import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { Backup, BackupCreateParams, BackupsMeta, BackupListParams } from '../types';

/** Needs a live key. */
export class Backups {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Starts a backup, or returns the running one. `get` shows how it ended. */
  create(request: BackupCreateParams = {}, options?: RequestOptions): GatewayPromise<Backup> {
    return this.transport.call('post', '/api/v1/admin/backups', { body: request }, options);
  }

  /** A page's `meta.schedule` tells when and where backups are made. */
  list(query?: BackupListParams, options?: RequestOptions): List<Backup, BackupsMeta> {
    return this.transport.list('/api/v1/admin/backups', { query }, options, { isDated: true });
  }

  get(id: string, options?: RequestOptions): GatewayPromise<Backup> {
    return this.transport.call('get', '/api/v1/admin/backups/{backup_id}', { path: { backup_id: id } }, options);
  }

  /** Reads the file to its end. `verify_error` is null if it can be restored. A large one takes longer than the default timeout. */
  verify(id: string, options?: RequestOptions): GatewayPromise<Backup> {
    return this.transport.call(
      'post',
      '/api/v1/admin/backups/{backup_id}/verify',
      { path: { backup_id: id } },
      options,
    );
  }
}
