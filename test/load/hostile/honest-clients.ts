import { Pool } from 'undici';
import { apiRequest } from '../api-request';
import { onTimetable } from '../load';

/** Requests per second of all kinds together. */
const RATE = 30;
const CONNECTIONS = 32;
/** Three sends, two lists and one read of the last sent message. */
const ROUND = ['send', 'list', 'send', 'read', 'send', 'list'] as const;
const LISTS = ['/messages?per_page=20', '/conversations', '/messages?platform=telegram&direction=outbound', '/status'];
const RECIPIENTS = 50;

/** Clients with a valid key that send requests at a steady rate, without waiting for answers. */
export class HonestClients {
  /** Ids of messages whose sends succeeded. */
  readonly accepted: string[] = [];
  /** Failed requests: status, or `none` without an answer → count. */
  readonly failures = new Map<string, number>();
  private readonly pool: Pool;
  private next = 0;

  constructor(
    origin: string,
    private readonly key: string,
  ) {
    this.pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  }

  /** @returns latencies in milliseconds, from when each request was due: a late start counts */
  ask(seconds: number): Promise<number[]> {
    return onTimetable({ perSecond: RATE, seconds }, async (due) => {
      await this.request(this.next++);
      return performance.now() - due;
    });
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async request(index: number): Promise<void> {
    const kind = ROUND[index % ROUND.length]!;
    if (kind === 'send') {
      const message = { platform: 'telegram', recipient: String(1_000 + (index % RECIPIENTS)), message: `h${index}.` };
      const answer = await this.call<{ message_id: string }>('POST', '/messages/send', message);
      if (answer) this.accepted.push(answer.message_id);
      return;
    }
    const last = this.accepted.at(-1);
    if (kind === 'read' && last !== undefined) await this.call('GET', `/messages/${last}`);
    else await this.call('GET', LISTS[index % LISTS.length]!);
  }

  /** @returns `data` of a success */
  private async call<Data>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Data | undefined> {
    try {
      const answer = await this.pool.request(apiRequest(this.key, method, path, body));
      const text = await answer.body.text();
      if (answer.statusCode < 300) return (JSON.parse(text) as { data: Data }).data;
      this.failed(String(answer.statusCode));
    } catch {
      this.failed('none');
    }
    return undefined;
  }

  private failed(status: string): void {
    this.failures.set(status, (this.failures.get(status) ?? 0) + 1);
  }
}
