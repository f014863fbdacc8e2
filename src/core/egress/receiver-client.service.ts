import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errors } from 'undici';
import { sanitizeText } from '#contracts';
import { exchange } from '#http-client';
import { Configuration } from '../config/configuration';
import { ForbiddenAddressError, AddressGuard } from './address-guard.service';
import { guardedConnector } from './guarded-connector';
import { ReceiverPools } from './receiver-pools';

/** How much of a reply is read and kept, in bytes. */
export const REPLY_LIMIT_BYTES = 4_096;

/** The most bytes of one answer, head included: far more than is read of a reply. */
export const ANSWER_LIMIT_BYTES = 262_144;

const TIMED_OUT = Symbol('timed out');

/** Result of an exchange with a receiver. */
export interface Exchange {
  /** Null without a response. */
  responseCode: number | null;
  responseTimeMs: number;
  /** By their names in lower case. */
  responseHeaders: Record<string, string> | null;
  /** The first 4 KiB, unless the whole answer was asked for. */
  responseBody: string | null;
  /** Why there was no response. */
  fault: string | null;
  /** The address guard refused the address: counts as a network error, but logs distinguish it. */
  refused: boolean;
  /** The receiver did not answer in time. */
  timedOut: boolean;
}

export interface PostOptions {
  /** Gives up: the promise rejects with its reason. Nothing else makes it reject. */
  signal?: AbortSignal | undefined;
  /** Milliseconds from the name's lookup to the reply's last byte; default: WEBHOOK_TIMEOUT_SECONDS. */
  timeoutMs?: number;
  /** Reads the whole answer: one that breaks off, or has more than `ANSWER_LIMIT_BYTES`, is a fault. */
  whole?: boolean;
}

/** Posts to URLs that users name, over keep-alive connections. It follows no redirects and decompresses no replies. */
@Injectable()
export class ReceiverClient implements OnApplicationShutdown {
  private readonly receivers: ReceiverPools;
  private readonly timeoutMs: number;

  constructor({ webhooks }: Configuration, guard: AddressGuard) {
    this.timeoutMs = webhooks.timeoutSeconds * 1000;
    this.receivers = new ReceiverPools({
      connect: guardedConnector(guard, {
        egressAddresses: webhooks.egressAddresses,
        timeoutMs: this.timeoutMs,
        answerLimitBytes: ANSWER_LIMIT_BYTES,
      }),
      pipelining: 1,
      allowH2: false,
      // The time limit below is for the whole exchange; undici's would each be for a part of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** One exchange. */
  async post(
    url: string,
    headers: Record<string, string>,
    body: string,
    { signal, timeoutMs = this.timeoutMs, whole = false }: PostOptions = {},
  ): Promise<Exchange> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(TIMED_OUT), timeoutMs);
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    try {
      const answer = await this.receivers.use(url, (dispatcher) =>
        exchange(dispatcher, url, {
          method: 'POST',
          headers,
          body,
          signals: signal ? [signal, limit.signal] : [limit.signal],
          beginning: whole ? undefined : REPLY_LIMIT_BYTES,
        }),
      );
      const { status: responseCode, headers: received, text } = answer;
      signal?.throwIfAborted();
      return {
        responseCode,
        responseTimeMs: elapsed(),
        responseHeaders: Object.fromEntries(
          Object.entries(received).map(([name, value]) => [name, sanitizeText(String(value))]),
        ),
        responseBody: sanitizeText(text),
        fault: null,
        refused: false,
        timedOut: false,
      };
    } catch (error) {
      signal?.throwIfAborted();
      const timedOut = limit.signal.reason === TIMED_OUT;
      const fault = timedOut
        ? `Timeout: no complete answer within ${timeoutMs / 1000} seconds`
        : sanitizeText(faultOf(error));
      const refused = error instanceof ForbiddenAddressError;
      return {
        responseCode: null,
        responseTimeMs: elapsed(),
        responseHeaders: null,
        responseBody: null,
        fault,
        refused,
        timedOut,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connections that are still open. */
  async onApplicationShutdown(): Promise<void> {
    await this.receivers.destroy();
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name does not resolve',
  EAI_AGAIN: 'The name could not be resolved temporarily',
  ETIMEOUT: 'The name server does not respond',
  ESERVFAIL: 'The name server could not resolve the name',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EPIPE: 'The connection was closed',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The network cannot be reached',
  ETIMEDOUT: 'The connection timed out',
  UND_ERR_SOCKET: 'The connection was closed without a response',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large',
};

/** Why there was no answer, in words for the owner of the URL. */
function faultOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  // If Node tries several addresses, it gives the failures of all of them together.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', message = String(error) } = first as Partial<NodeJS.ErrnoException>;
  if (FAULTS[code]) return `${FAULTS[code]} (${code})`;
  if (first instanceof errors.HTTPParserError) return `The response is not HTTP (${code})`;
  // Messages of OpenSSL and of Node's certificate checks are clear enough for the owner.
  return `${/CERT|SSL|TLS|SIGNED|ISSUER/.test(code) ? 'TLS: ' : ''}${message.slice(0, 300)}${code ? ` (${code})` : ''}`;
}
