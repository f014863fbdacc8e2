import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { EventData, EventPayload, EventType } from '#contracts';

const LOOK_EVERY_MS = 20;

/** Reads the events table on its own connection. */
export class EventLog {
  private readonly told = new Set<string>();

  private constructor(private readonly client: Client) {}

  static async open(databaseUrl: string): Promise<EventLog> {
    const client = new Client({ connectionString: databaseUrl, application_name: 'demo' });
    await client.connect();
    return new EventLog(client);
  }

  /**
   * Waits for an event of a type, whose data meet a condition, and that `news` has not returned yet.
   * @param timeoutMs milliseconds
   * @throws if the table has no such event within the timeout
   */
  async waitFor<T extends EventType>(
    type: T,
    condition: (data: EventData<T>) => boolean,
    timeoutMs: number,
  ): Promise<EventPayload<T>> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = (await this.unseen()).find((event) => event.type === type && condition(event.data as EventData<T>));
      if (found) return found as EventPayload<T>;
      if (performance.now() > deadline) throw new Error(`no event ${type} was recorded within ${timeoutMs / 1000} s`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Events since the last call, oldest first. */
  async news(): Promise<EventPayload[]> {
    const news = await this.unseen();
    for (const { id } of news) this.told.add(id);
    return news;
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private async unseen(): Promise<EventPayload[]> {
    const { rows } = await this.client.query<{ body: string }>('SELECT body FROM events ORDER BY id');
    return rows.map(({ body }) => JSON.parse(body) as EventPayload).filter(({ id }) => !this.told.has(id));
  }
}
