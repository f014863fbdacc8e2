import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  CreatedWebhook,
  DeletedWebhook,
  Delivery,
  DeliveryDetail,
  DeliveryListParams,
  Redelivery,
  Replay,
  WebhookReplayParams,
  Webhook,
  WebhookUpdateParams,
  WebhookDetail,
  WebhookListParams,
  WebhookCreateParams,
} from '../types';

export class Webhooks {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Without a `secret`, the gateway creates one; only this answer contains it. */
  create(webhook: WebhookCreateParams, options?: RequestOptions): GatewayPromise<CreatedWebhook> {
    return this.transport.call('post', '/api/v1/webhooks', { body: webhook }, options);
  }

  list(query?: WebhookListParams, options?: RequestOptions): List<Webhook> {
    return this.transport.list('/api/v1/webhooks', { query }, options);
  }

  /** With its newest deliveries. */
  get(webhookId: string, options?: RequestOptions): GatewayPromise<WebhookDetail> {
    return this.transport.call('get', '/api/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId } }, options);
  }

  update(webhookId: string, change: WebhookUpdateParams, options?: RequestOptions): GatewayPromise<Webhook> {
    const input = { path: { webhook_id: webhookId }, body: change };
    return this.transport.call('patch', '/api/v1/webhooks/{webhook_id}', input, options);
  }

  delete(webhookId: string, options?: RequestOptions): GatewayPromise<DeletedWebhook> {
    return this.transport.call('delete', '/api/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId } }, options);
  }

  /** Sends a `system.health` event with `data.test` at once, and resolves with its delivery, successful or failed. */
  test(webhookId: string, options?: RequestOptions): GatewayPromise<Delivery> {
    const input = { path: { webhook_id: webhookId } };
    return this.transport.call('post', '/api/v1/webhooks/{webhook_id}/test', input, options);
  }

  /** The attempts to deliver its events, newest first. */
  listDeliveries(webhookId: string, query?: DeliveryListParams, options?: RequestOptions): List<Delivery> {
    const input = { path: { webhook_id: webhookId }, query };
    return this.transport.list('/api/v1/webhooks/{webhook_id}/deliveries', input, options, { isDated: true });
  }

  /** A delivery with its request and response. */
  getDelivery(webhookId: string, deliveryId: string, options?: RequestOptions): GatewayPromise<DeliveryDetail> {
    const input = { path: { webhook_id: webhookId, delivery_id: deliveryId } };
    return this.transport.call('get', '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', input, options);
  }

  /** Sends the event of a delivery again. */
  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): GatewayPromise<Redelivery> {
    const input = { path: { webhook_id: webhookId, delivery_id: deliveryId } };
    const path = '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver';
    return this.transport.call('post', path, input, options);
  }

  /** Resends every event that the webhook has missed since the given time. */
  replay(webhookId: string, request: WebhookReplayParams, options?: RequestOptions): GatewayPromise<Replay> {
    const input = { path: { webhook_id: webhookId }, body: request };
    return this.transport.call('post', '/api/v1/webhooks/{webhook_id}/replay', input, options);
  }
}

export class Deliveries {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** A delivery of any webhook, with its request and response. */
  get(deliveryId: string, options?: RequestOptions): GatewayPromise<DeliveryDetail> {
    const input = { path: { delivery_id: deliveryId } };
    return this.transport.call('get', '/api/v1/deliveries/{delivery_id}', input, options);
  }
}
