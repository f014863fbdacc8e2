import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Logger } from '@nestjs/common';
import { codePointsOf } from '#contracts';
import type { Configuration } from '../config/configuration';
import { ForbiddenAddresses } from './forbidden-addresses';
import { kindOfName } from './forbidden-names';
import { NameResolver, type Resolve } from './name-resolver';

/** Longest URL, in characters (code points), as it is given. */
export const MAX_URL_LENGTH = 2_048;

/** How long the check of a URL waits for its name to resolve, in milliseconds. */
const RESOLVE_TIMEOUT_MS = 3_000;

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];

/**
 * The name or address leads where no request may go. Clients see only the message: the log alone says what a name resolves
 * to inside the operator's network.
 */
export class ForbiddenAddressError extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';

  constructor() {
    super('address not allowed');
  }
}

/**
 * Keeps requests to URLs that users name (receivers of webhooks, files to send) out of the operator's network (server-side
 * request forgery). It checks the addresses of a name at every connection, and the socket gets exactly the checked addresses, so
 * that a name that resolves differently the second time (DNS rebinding) gains nothing.
 */
export class AddressGuard {
  private readonly logger = new Logger(AddressGuard.name);
  private readonly addresses: ForbiddenAddresses;
  private readonly schemes: readonly string[];
  private readonly loopbackAllowed: boolean;
  /** Tests replace it. */
  resolve: Resolve = new NameResolver().resolve;

  constructor({ allowedCidrs, allowHttp }: Pick<Configuration['webhooks'], 'allowedCidrs' | 'allowHttp'>) {
    this.addresses = new ForbiddenAddresses(allowedCidrs);
    this.loopbackAllowed = LOOPBACK_ADDRESSES.some((address) => this.addresses.kindOf(address) === undefined);
    this.schemes = allowHttp ? ['https:', 'http:'] : ['https:'];
  }

  /** @returns the fault of a URL, or of its current addresses; a name that does not resolve has none */
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
      else await this.checkName(hostname);
      return undefined;
    } catch (error) {
      if (error instanceof ForbiddenAddressError) return error.message;
      throw error;
    }
  }

  /** @throws ForbiddenAddressError */
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

  private nameFault(hostname: string): ForbiddenAddressError | undefined {
    const kind = kindOfName(hostname);
    if (kind === undefined || (kind === 'loopback' && this.loopbackAllowed)) return undefined;
    return this.refuse(`${hostname} is a ${kind} name`);
  }

  private refuse(reason: string): ForbiddenAddressError {
    this.logger.warn(`The address of a URL was refused: ${reason}`);
    return new ForbiddenAddressError();
  }

  private async checkName(hostname: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, RESOLVE_TIMEOUT_MS);
      this.lookup(hostname, { all: true }, (error) => {
        clearTimeout(timer);
        if (error instanceof ForbiddenAddressError) reject(error);
        else resolve();
      });
    });
  }
}

/** `[::1]` → `::1` */
export function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
