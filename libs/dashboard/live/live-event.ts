import type { WebhookEvent } from '#client';

/** An event of the gateway: its type determines its data. */
export type LiveEvent = WebhookEvent;

/** `lost`: the connection is down, and comes back by itself. `off`: the key may not have the stream. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'off';
