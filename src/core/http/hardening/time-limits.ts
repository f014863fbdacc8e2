/**
 * The headers of a request must arrive within this, in milliseconds: from the connection, or from the first byte of a later
 * request.
 */
export const HEADERS_MS = 10_000;
/** Headers and body must arrive within this, in milliseconds. The answer may take longer. */
export const REQUEST_MS = 20_000;
/** How often the server looks for requests that are late, in milliseconds; Node's own 30 s would let them through. */
const CHECK_MS = 250;

/** Options of Node's server. Fastify sets `requestTimeout` itself: its 0 would override a value here. */
export const SERVER_LIMITS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS } as const;
/** The limits of HTTP begin after the TLS handshake, so the handshake has a limit of its own. */
export const TLS_LIMITS = { handshakeTimeout: HEADERS_MS } as const;
