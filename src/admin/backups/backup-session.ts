import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../core/database/advisory-locks';
import { DIRECT_CONNECTION } from '../../core/database/data-source';

/** The one connection that may make a backup: its session holds the lock, so the lock ends when the process does. */
export class BackupSession {
  private constructor(readonly client: Client) {}

  /** @returns undefined while another session, of whatever instance, makes a backup */
  static async begin(url: string): Promise<BackupSession | undefined> {
    const client = new Client({
      ...DIRECT_CONNECTION,
      connectionString: url,
      application_name: 'messaging-gateway backup',
    });
    // The statement under way tells of a connection that breaks; without a listener the process would end.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      ADVISORY_LOCKS.backups,
    ]);
    if (rows[0]!.locked) return new BackupSession(client);
    await client.end();
    return undefined;
  }

  /** Gives the lock back with the connection. */
  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
