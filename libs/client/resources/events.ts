import { EventStream, type EventStreamOptions, type EventStreamParams } from '../event-stream';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { EventTypeDescription, StoredEvent } from '../types';

export class Events {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * The events of the gateway as they happen: `for await (const event of client.events.stream({ types: ['message.*'] }))`.
   * It sends no request until you iterate over it.
   */
  stream(query: EventStreamParams = {}, options: EventStreamOptions = {}): EventStream {
    return new EventStream(this.transport, query, options);
  }

  /** With the scope `admin:settings`, the event includes its deliveries. */
  get(eventId: string, options?: RequestOptions): GatewayPromise<StoredEvent> {
    return this.transport.call('get', '/api/v1/events/{event_id}', { path: { event_id: eventId } }, options);
  }
}

export class EventTypes {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Every event type, with the JSON Schema of its `data`. */
  list(options?: RequestOptions): GatewayPromise<EventTypeDescription[]> {
    return this.transport.call('get', '/api/v1/event-types', {}, options);
  }
}
