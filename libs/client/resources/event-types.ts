import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { EventTypeDescription } from '../types';

export class EventTypes {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Every event type, with the JSON Schema of its `data`. */
  list(options?: RequestOptions): Promise<EventTypeDescription[]> {
    return this.transport.call('get', '/api/v1/event-types', {}, options);
  }
}
