/**
 * The settings of the server, given on its command line at every start, so that an old cluster runs like a new one.
 * They suit one gateway on a small machine. https://www.postgresql.org/docs/18/runtime-config.html
 */
const SERVER_SETTINGS = {
  // Only this machine, only over TCP with a password: the length of a unix socket's path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // A commit that was acknowledged is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  random_page_cost: '1.1',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  // Short statements gain nothing from compilation or parallel workers; and containers give 64 MB of /dev/shm.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Reads come from memory, so no worker processes for them.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // A failed statement may hold the text of a person's message.
  log_min_error_statement: 'panic',
} as const satisfies Record<string, string>;

/** The arguments of `postgres`. */
export function serverArguments(cluster: string, port: number): string[] {
  const settings = { ...SERVER_SETTINGS, port: String(port) };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
