export type { AnswerStream } from './transport/answer-stream';
export { EVENT_TYPES, type ErrorCode, type ErrorDetails, type EventData, type EventType } from './contracts';
export {
  GatewayConnectionError,
  GatewayError,
  GatewayTimeoutError,
  type ErrorOf,
  type GatewayErrorCode,
} from './errors';
export type { List } from './list';
export { MessagingGateway } from './messaging-gateway';
export type { Fetch, GatewayOptions, IdempotentOptions, RequestOptions } from './options';
export type { Page, Pagination } from './page';
export type * from './types';
export {
  verifyWebhook,
  WebhookVerificationError,
  type VerificationFailure,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookToVerify,
} from './verify-webhook';
