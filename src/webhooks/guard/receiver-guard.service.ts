import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import { codePointsOf } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { ForbiddenAddresses } from './forbidden-addresses';
import { kindOfName } from './forbidden-names';
import { NameResolver, type Resolve } from './name-resolver';

/** Longest receiver URL, in characters (code points), as it is given. */
export const MAX_URL_LENGTH = 2_048;

/** How long registering a webhook waits for its name to resolve, in milliseconds. */
const RESOLVE_TIMEOUT_MS = 3_000;

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];

/**
 * The name or address leads where deliveries must not go. Its message is all that clients learn: what a name resolves to
 * inside the operator's network is for the log alone.
 */
export class ForbiddenReceiverError extends Error {
  readonly code = 'FORBIDDEN_RECEIVER';

  constructor() {
    super('address not allowed');
  }
}

/**
 * Keeps deliveries out of the operator's network (server-side request forgery), at registration, change, test and
 * delivery. It checks the addresses of a name at every connection, and the socket gets exactly the checked addresses, so
 * that a name that resolves differently the second time (DNS rebinding) gains nothing.
 */
@Injectable()
export class ReceiverGuard {
  private readonly logger = new Logger(ReceiverGuard.name);
  private readonly addresses: ForbiddenAddresses;
  private readonly schemes: readonly string[];
  private readonly loopbackAllowed: boolean;
  /** Tests replace it. */
  resolve: Resolve = new NameResolver().resolve;

  constructor({ webhooks }: Configuration) {
    this.addresses = new ForbiddenAddresses(webhooks.allowedCidrs);
    this.loopbackAllowed = LOOPBACK_ADDRESSES.some((address) => this.addresses.kindOf(address) === undefined);
    this.schemes = webhooks.allowHttp ? ['https:', 'http:'] : ['https:'];
  }

  /** @returns the fault of a receiver URL, or of its present addresses; a name that does not resolve yet has none */
  async urlFault(text: string): Promise<string | undefined> {
    if (codePointsOf(text) > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
    // The parser silently drops line breaks and the like: the URL shown would differ from the URL called.
    if (/[\s\p{Cc}]/u.test(text)) return 'must be a URL';
    const url = URL.parse(text);
    if (!url || url.hostname === '') return 'must be a URL';
    if (!this.schemes.includes(url.protocol)) return `must begin with ${this.schemes.join('// or ')}//`;
    // The parser also corrects missing slashes and names: the name of `https:///hook` would be "hook".
    if (!/^https?:\/\/[^/\\]/i.test(text)) return 'must be a URL';
    if (url.port === '0') return 'must not have port 0';
    if (url.username !== '' || url.password !== '') return 'must not carry credentials';
    const hostname = unbracketed(url.hostname);
    try {
      if (isIP(hostname)) this.checkLiteral(hostname);
      else await this.tryName(hostname);
      return undefined;
    } catch (error) {
      if (error instanceof ForbiddenReceiverError) return error.message;
      throw error;
    }
  }

  /** @throws ForbiddenReceiverError */
  checkLiteral(address: string): void {
    const kind = this.addresses.kindOf(address);
    if (kind) throw this.refuse(`${address} is a ${kind} address`);
  }

  /** `lookup` of a socket: all addresses of a name, or an error if any of them is forbidden. */
  readonly lookup = (
    hostname: string,
    options: LookupOptions,
    // Its shape depends on `options.all`, as with dns.lookup.
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const fault = this.nameFault(hostname);
    if (fault) return callback(fault, []);
    this.resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => this.addresses.kindOf(address) !== undefined);
      if (bad) {
        const kind = this.addresses.kindOf(bad.address);
        return callback(this.refuse(`${hostname} resolves to ${bad.address}, a ${kind} address`), []);
      }
      const [first] = addresses;
      if (!first) return callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  private nameFault(hostname: string): ForbiddenReceiverError | undefined {
    const kind = kindOfName(hostname);
    if (kind === undefined || (kind === 'loopback' && this.loopbackAllowed)) return undefined;
    return this.refuse(`${hostname} is a ${kind} name`);
  }

  private refuse(reason: string): ForbiddenReceiverError {
    this.logger.warn(`A webhook's receiver is refused: ${reason}`);
    return new ForbiddenReceiverError();
  }

  private async tryName(hostname: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, RESOLVE_TIMEOUT_MS);
      this.lookup(hostname, { all: true }, (error) => {
        clearTimeout(timer);
        if (error instanceof ForbiddenReceiverError) reject(error);
        else resolve();
      });
    });
  }
}

/** `[::1]` → `::1` */
export function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
