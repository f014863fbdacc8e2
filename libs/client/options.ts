/** As much of `fetch` as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface GatewayOptions {
  /** `service_sk_live_…` or `service_sk_test_…`; a test key reaches the sandbox. */
  apiKey: string;
  /** Where the gateway is: `https://gateway.example.com`. */
  baseUrl: string;
  /** How often a failed request is made again at most; 2 by default. */
  maxRetries?: number;
  /**
   * Milliseconds that one attempt may take, to the last byte of its answer; 100,000 by default: the gateway's slowest
   * answer is the AI's, and that takes at most 90 seconds.
   */
  timeout?: number;
  /** Instead of the global `fetch`. */
  fetch?: Fetch;
}

export interface RequestOptions {
  /** Gives the request up; the promise rejects with its reason. */
  signal?: AbortSignal;
  /** As in {@link GatewayOptions}. */
  maxRetries?: number;
  /** As in {@link GatewayOptions}. Of a stream: until it begins, and between two pieces. */
  timeout?: number;
}

export interface IdempotentOptions extends RequestOptions {
  /**
   * 1 to 255 characters. For 24 hours the same request under the same key is answered as the first time, and not done
   * again. By default each call has a key of its own, which its retries share.
   */
  idempotencyKey?: string;
}
