import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { DeliveryDetail } from '../types';

export class Deliveries {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** A delivery with its request and response, of whichever webhook. */
  get(deliveryId: string, options?: RequestOptions): Promise<DeliveryDetail> {
    const input = { path: { delivery_id: deliveryId } };
    return this.transport.call('get', '/api/v1/deliveries/{delivery_id}', input, options);
  }
}
