import { EventStream, type EventStreamOptions, type EventStreamQuery } from '../event-stream';
import type { Transport } from '../transport/transport';

export class Events {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * The events of the gateway as they happen: `for await (const event of client.events.stream({ types: ['message.*'] }))`.
   * It sends no request before it is iterated over.
   */
  stream(query: EventStreamQuery = {}, options: EventStreamOptions = {}): EventStream {
    return new EventStream(this.transport, query, options);
  }
}
