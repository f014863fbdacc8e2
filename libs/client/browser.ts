/*
 * The client for browsers: everything except webhook verification, which needs Node's crypto and a secret that no page
 * may hold.
 */
export type { AnswerStream } from './transport/answer-stream';
export {
  EVENT_TYPES,
  type ErrorCode,
  type ErrorDetails,
  type EventData,
  type EventType,
  type WebhookEvent,
} from './contracts';
export {
  GatewayAuthenticationError,
  GatewayConnectionError,
  GatewayError,
  GatewayNotFoundError,
  GatewayPermissionError,
  GatewayPlatformError,
  GatewayRateLimitError,
  GatewayServerError,
  GatewayTimeoutError,
  GatewayValidationError,
  type ErrorOf,
  type GatewayErrorCode,
} from './errors';
export type { EventFamily, EventStream, EventStreamOptions, EventStreamParams } from './event-stream';
export type { GatewayHooks, GatewayOutcome, GatewayRequest } from './hooks';
export type { List } from './list';
export { MessagingGateway } from './messaging-gateway';
export type { Fetch, GatewayOptions, IdempotentOptions, RequestOptions } from './options';
export type { AttachmentContent, DownloadOptions, FileToUpload, UploadOptions } from './resources/attachments';
export type { Page, Pagination } from './page';
export type { GatewayPromise, GatewayResponse, RateLimit, WithResponse } from './response';
export type * from './types';
