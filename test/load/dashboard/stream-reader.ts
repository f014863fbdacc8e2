import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { percentile } from '../statistics';

/** The events that the streams have received since `open`. */
export interface StreamReport {
  /** Distinct events over all streams. */
  events: number;
  /** Streams that have received all of these events. */
  complete: number;
  /** Events that a stream received more than once. */
  repeated: number;
  /** From an event's `created_at` to its arrival, in milliseconds. */
  p50: number;
  p99: number;
}

export interface StreamOrder {
  origin: string;
  keys: readonly string[];
  streamsPerKey: number;
  types: string;
}

const AGENT = new Agent({ connections: null, bodyTimeout: 0 });

interface Stream {
  /** Ids of received events. */
  seen: Set<string>;
  /** Unparsed chunks with their arrival times. */
  arrived: { text: string; at: number }[];
  /** The start of an incomplete event. */
  rest: string;
}

/**
 * Reads many event streams in a separate process. Real readers run on other machines, but this one shares the CPU with the
 * measured gateway. So it only stores what arrives, and parses it in `report`.
 */
class StreamReader {
  private closing = new AbortController();
  private streams: Stream[] = [];
  private readonly createdAt = new Map<string, number>();
  private latencies: number[] = [];
  private repeated = 0;

  /** Resolves when the gateway has accepted every stream. */
  async open({ origin, keys, streamsPerKey, types }: StreamOrder): Promise<void> {
    const owners = keys.flatMap((key) => Array.from({ length: streamsPerKey }, () => key));
    await Promise.all(owners.map((key) => this.openOne(`${origin}/api/v1/events/stream?types=${types}`, key)));
  }

  close(): void {
    this.closing.abort();
    this.closing = new AbortController();
    this.streams = [];
    this.latencies = [];
    this.repeated = 0;
    this.createdAt.clear();
  }

  report(): StreamReport {
    for (const stream of this.streams) this.look(stream);
    const events = this.createdAt.size;
    return {
      events,
      complete: this.streams.filter(({ seen }) => seen.size === events).length,
      repeated: this.repeated,
      p50: percentile(this.latencies, 0.5),
      p99: percentile(this.latencies, 0.99),
    };
  }

  private async openOne(url: string, key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const answer = await request(url, { headers, dispatcher: AGENT, signal: this.closing.signal });
    if (answer.statusCode !== 200) throw new Error(`A stream was refused: ${await answer.body.text()}`);
    const stream: Stream = { seen: new Set(), arrived: [], rest: '' };
    this.streams.push(stream);
    answer.body.setEncoding('utf8');
    answer.body.on('data', (text: string) => {
      stream.arrived.push({ text, at: performance.timeOrigin + performance.now() });
    });
    // `close` aborts the stream.
    answer.body.on('error', () => undefined);
  }

  private look(stream: Stream): void {
    for (const { text, at } of stream.arrived.splice(0)) {
      const blocks = (stream.rest + text).split('\n\n');
      stream.rest = blocks.pop()!;
      for (const block of blocks) this.take(block, stream.seen, at);
    }
  }

  private take(block: string, seen: Set<string>, at: number): void {
    const [, id] = /^id: (.+)$/m.exec(block) ?? [];
    if (id === undefined) return;
    if (seen.has(id)) this.repeated += 1;
    seen.add(id);
    this.latencies.push(at - this.createdAtOf(id, block));
  }

  private createdAtOf(id: string, block: string): number {
    let at = this.createdAt.get(id);
    if (at === undefined) {
      const data = JSON.parse(/^data: (.+)$/m.exec(block)![1]!) as { created_at: string };
      at = Date.parse(data.created_at);
      this.createdAt.set(id, at);
    }
    return at;
  }
}

/** `POST /open` opens streams, `GET /report` returns a report, `POST /close` ends all streams. */
function main(): void {
  const reader = new StreamReader();
  const orders: Record<string, (incoming: IncomingMessage) => unknown> = {
    '/open': async (incoming) => reader.open(JSON.parse(await textOf(incoming)) as StreamOrder),
    '/report': () => reader.report(),
    '/close': () => reader.close(),
  };
  const server = createServer((incoming, response) => {
    Promise.resolve(orders[incoming.url!]!(incoming)).then(
      (result) => response.end(JSON.stringify(result ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  });
  process.on('SIGTERM', () => process.exit(0));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(incoming, 'end');
  return text;
}

main();
