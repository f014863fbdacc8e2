/*
 * What the package takes of libs/contracts, by file: its index would bring along how ids are made, and the dependency
 * that this needs. The files come with the package (see bin/build-client.mjs).
 */
export { isEqualInConstantTime } from '../contracts/constant-time';
export { ERRORS, type ErrorCode, type ErrorDetails } from '../contracts/errors';
export { EVENT_TYPES, type EventData, type EventPayload, type EventType } from '../contracts/events';
export { signStandardWebhook, signWebhookBody } from '../contracts/webhook-signature';
