/*
 * The parts of libs/contracts that the package uses, by file: the index would add the code that creates ids, and its
 * dependency. The files come with the package (see bin/build-client.mjs).
 */
export { isEqualInConstantTime } from '../contracts/constant-time';
export { ERRORS, type ErrorCode, type ErrorDetails } from '../contracts/errors';
export { EVENT_TYPES, type EventData, type EventPayload, type EventType } from '../contracts/events';
export { signStandardWebhook, signWebhookBody } from '../contracts/webhook-signature';
