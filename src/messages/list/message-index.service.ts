import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { DIRECT_CONNECTION, DirectUrl } from '../../core/database/connections/direct-connection';
import {
  ANALYZE_MESSAGES,
  CREATE_MESSAGE_INDEX,
  DROP_MESSAGE_INDEX,
  HAS_MESSAGE_INDEX,
  SORT_NEW_ENTRIES,
} from './message-index.rows';
import { Timers } from '../../core/work/timers/timers.service';

/** How often the index is looked after, in milliseconds. */
const INTERVAL_MS = 20_000;

/** The build takes as long as it takes; PostgreSQL notices within a second that the client is gone. */
const SESSION = '-c statement_timeout=0 -c client_connection_check_interval=1000';

/**
 * Builds the index of the words of messages where the migration did not, because there were many: sends and lists go on meanwhile.
 * Then it sorts new entries in, so that no send has to.
 */
@Injectable()
export class MessageIndex {
  private isBuilt = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly directUrl: DirectUrl,
    timers: Timers,
  ) {
    timers.every('The index of messages by words', INTERVAL_MS, (signal) => this.tend(signal));
  }

  /** Whether messages can be found by index. */
  async isReady(): Promise<boolean> {
    if (this.isBuilt) return true;
    const [row] = await this.dataSource.query<{ isThere: boolean }[]>(HAS_MESSAGE_INDEX);
    this.isBuilt = row!.isThere;
    return this.isBuilt;
  }

  private async tend(signal: AbortSignal): Promise<void> {
    if (await this.isReady()) await this.dataSource.query(SORT_NEW_ENTRIES);
    else await this.build(signal);
  }

  /** A stop breaks the connection off; the next process begins again. */
  private async build(signal: AbortSignal): Promise<void> {
    const client = new Client({ ...DIRECT_CONNECTION, connectionString: this.directUrl.value, options: SESSION });
    const stop = () => void client.end();
    client.on('error', () => undefined);
    await client.connect();
    signal.addEventListener('abort', stop);
    try {
      await client.query(DROP_MESSAGE_INDEX);
      await client.query(CREATE_MESSAGE_INDEX);
      await client.query(ANALYZE_MESSAGES);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await client.end();
    }
  }
}
