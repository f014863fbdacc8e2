import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TraceSpan } from '../../observability/tracing/tracer';
import { environmentOfKey, isKey, maskKey, type Environment, type Scope } from '#contracts';

/** US dollars that a key may spend on the AI in a UTC day and month; null: the key has no limit of its own for that period. */
export interface AiBudget {
  dailyUsd: number | null;
  monthlyUsd: number | null;
}

/** The key that authenticated a request. */
export interface Caller {
  keyId: string;
  environment: Environment;
  scopes: readonly Scope[];
  /** Null: only the environment's budget bounds it. */
  aiBudget: AiBudget | null;
  /** The models that `options.model` may name; empty: all. */
  aiModels: readonly string[];
}

/** The message of a request that sends one. It counts against `rate_limits.messages_per_minute` once it is taken. */
export interface CountedMessage {
  /** Call it when the message is sent. @throws ApiError if the limit is reached */
  take(): void;
  /** Call it when a message that was taken is not sent after all. */
  release(): void;
  /** Call it when the request is over. */
  settle(): void;
}

/** The API key that a request carries: well-formed, known or not. */
export interface Credentials {
  text: string;
  masked: string;
  environment: Environment;
}

/** @returns undefined if the text is not a well-formed key */
export function toCredentials(text: string): Credentials | undefined {
  if (!isKey(text)) return undefined;
  const environment = environmentOfKey(text);
  return { text, masked: maskKey(environment, text.slice(-4)), environment };
}

/** The gateway's context of a request, set by the first hook. */
export interface RequestContext {
  /** UUID form of the public `req_` id. */
  id: string;
  publicId: string;
  /** `performance.now()` at arrival. */
  startedAt: number;
  clientIp: string;
  /** False: the trusted proxy reports no address. Then `clientIp` is the proxy's, and keys bound to addresses are refused. */
  isClientIpKnown: boolean;
  credentials?: Credentials;
  /** Set when the key is known, even if it is then refused. */
  caller?: Caller;
  /** Set for a handler that sends a message (`@CountsMessage()`): the message, counted with the request. */
  message?: CountedMessage;
  /**
   * Set when its address or key was refused so often that such requests share a row of the audit log. `caller`: the key of
   * that row; an unknown route looks up no key.
   */
  sharedAuditRow?: { caller?: Caller };
  /** The client left before its answer. */
  hasClientLeft?: true;
  /** The span of the request; undefined while tracing is off. */
  span?: TraceSpan;
  /** Warnings for `meta.warnings` of the answer. */
  warnings?: Warning[];
}

/** An item of `meta.warnings`. */
export interface Warning {
  code: string;
  message: string;
  /** When the deprecated operation or field may be removed, ISO 8601. */
  sunset?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    gateway: RequestContext;
  }
}

/**
 * Whether a request is for the API, by its matched route: the router also accepts escaped (`/%61pi`) and absolute
 * (`http://host/api`) forms, which a test of the raw URL would miss. An unknown route has only the URL.
 */
export function isApi(request: FastifyRequest): boolean {
  return (routeOf(request) ?? request.url).startsWith('/api');
}

/** The status of an answer that its client did not wait for, as nginx logs it. */
export const CLIENT_LEFT = 499;

/** The status that the audit log and the metrics show. */
export function statusOf({ gateway }: FastifyRequest, { statusCode }: FastifyReply): number {
  return gateway?.hasClientLeft ? CLIENT_LEFT : statusCode;
}

/** The pattern of the matched route, if any. The route of CORS, which matches every OPTIONS, does not count. */
export function routeOf({ is404, routeOptions: { url } }: FastifyRequest): string | undefined {
  return is404 || url === '*' ? undefined : url;
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request.gateway;
  if (!caller) throw new Error('a route that needs a caller was reached without one');
  return caller;
}
