import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { eventually } from './eventually';

/** An SSE client that also records comments, `retry` fields, arrival times and the end of the stream. */
export class EventSourceClient {
  readonly events: EventSourceMessage[] = [];
  /** `at` is the arrival time, by `performance.now()`. */
  readonly comments: { text: string; at: number }[] = [];
  /** The `retry` fields, in milliseconds. */
  readonly retries: number[] = [];
  /** Arrival time of each chunk, by `performance.now()`. */
  readonly arrivals: number[] = [];
  body = '';
  isOver = false;

  private constructor(readonly response: IncomingMessage) {
    const parser = createParser({
      onEvent: (event) => void this.events.push(event),
      onComment: (comment) => void this.comments.push({ text: comment, at: performance.now() }),
      onRetry: (retry) => void this.retries.push(retry),
    });
    response.setEncoding('utf8').on('data', (text: string) => {
      this.arrivals.push(performance.now());
      this.body += text;
      parser.feed(text);
    });
    response.on('error', () => undefined).on('close', () => (this.isOver = true));
  }

  /** Resolves when the headers have arrived. @param path after `/api/v1`, with its query */
  static async open(
    url: string,
    key: string,
    path = '/events/stream',
    headers: Record<string, string> = {},
  ): Promise<EventSourceClient> {
    const request = get(`${url}/api/v1${path}`, {
      agent: false,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${key}`, ...headers },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new EventSourceClient(response);
  }

  get status(): number {
    return this.response.statusCode!;
  }

  get types(): string[] {
    return this.events.map(({ event }) => event!);
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id!);
  }

  /** The JSON body of an error answer. */
  refusal<Body = { error: { code: string; details: Record<string, unknown> } }>(): Promise<Body> {
    return eventually('the answer is whole', () => JSON.parse(this.body) as Body);
  }

  close(): void {
    this.response.destroy();
  }
}
