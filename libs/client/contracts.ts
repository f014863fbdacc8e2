/*
 * The parts of libs/contracts that the package uses. They are imported by file, because the index would add the code
 * that creates ids, and its dependency. The files come with the package (see scripts/build-client.mjs).
 */
export { ERRORS, type ErrorCode, type ErrorDetails } from '../contracts/errors';
export { EVENT_TYPES, type EventData, type EventPayload, type EventType } from '../contracts/events';

import type { EventPayload, EventType } from '../contracts/events';

/** An event of a delivery or of the stream: its `type` determines its `data`. */
export type WebhookEvent = { [T in EventType]: EventPayload<T> }[EventType];
