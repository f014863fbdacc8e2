import type { WebhookEvent } from '#client';

/** An event of the gateway. Its type determines its data. */
export type LiveEvent = WebhookEvent;

/** `lost`: the page reconnects by itself. `off`: the key may not read the stream. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'off';
