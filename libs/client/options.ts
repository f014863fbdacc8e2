import type { GatewayHooks } from './hooks';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface GatewayOptions extends GatewayHooks {
  /** `service_sk_live_…` or `service_sk_test_…`; a test key reaches the sandbox. */
  apiKey: string;
  /** The gateway's address: `https://gateway.example.com`. */
  baseUrl: string;
  /** How often the client repeats a failed request at most; 2 by default. */
  maxRetries?: number;
  /**
   * Milliseconds that one attempt may take, to the last byte of its answer; 100,000 by default: the gateway's slowest
   * answer is the AI's, and that takes at most 90 seconds.
   */
  timeout?: number;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
}

export interface RequestOptions {
  /** Aborts the request; the promise rejects with its reason. */
  signal?: AbortSignal;
  /** As in {@link GatewayOptions}. */
  maxRetries?: number;
  /** As in {@link GatewayOptions}. For a stream: the longest wait for its beginning, and between two pieces. */
  timeout?: number;
}

export interface IdempotentOptions extends RequestOptions {
  /**
   * 1 to 255 characters. For 24 hours the gateway repeats its first answer to the same request under the same key, and
   * does not do it again. By default each call has its own key, which its retries share.
   */
  idempotencyKey?: string;
}
