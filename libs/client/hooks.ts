import type { GatewayResponse } from './response';

/** One attempt of a call. */
export interface GatewayRequest {
  method: string;
  /** The path in the API's document, so metrics can be grouped by it: `/api/v1/messages/{message_id}`. */
  path: string;
  /** With ids and query. */
  url: string;
  /** From 1. */
  attempt: number;
}

/** How an attempt ended. */
export interface GatewayOutcome {
  request: GatewayRequest;
  /** Undefined if there was no answer. */
  response: GatewayResponse | undefined;
  /** Undefined after a success. */
  error: unknown;
  /** Until the end of the answer; for a stream or a file, until its beginning. */
  durationMs: number;
  /** Milliseconds until the client retries the request; undefined if it does not. */
  retryInMs: number | undefined;
}

/** Called for each attempt. What a hook throws is ignored: logging must not fail a request. */
export interface GatewayHooks {
  onRequest?: (request: GatewayRequest) => void;
  onResponse?: (outcome: GatewayOutcome) => void;
}

/** Calls a hook. The `async` also catches what an asynchronous hook rejects with. */
export function callHook<T>(hook: ((value: T) => unknown) | undefined, value: T): void {
  if (hook) void (async () => hook(value))().catch(() => undefined);
}
