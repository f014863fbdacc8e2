import { promises, type LookupAddress, type LookupOptions } from 'node:dns';
import { callbackify } from 'node:util';

/** All addresses of a name, as `dns.lookup` with `all` gives them. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Timeout of each question; with the second try, the resolver gives up on a silent name server after six seconds. */
const DNS = { timeout: 2_000, tries: 2 };

/** The name server is silent or fails: the system would get no better answer, but would hold a thread. */
const UNANSWERED: ReadonlySet<string | undefined> = new Set(['ETIMEOUT', 'ESERVFAIL']);

/**
 * Finds addresses by DNS on the event loop, and asks the system (getaddrinfo) only for names that DNS does not have: names
 * in the hosts file, of search domains, and without a dot. A lookup of the system holds one of the process's four threads
 * while a name server is silent: a few names of one client would stop name resolution in the whole process.
 */
export class NameResolver {
  private readonly local = new SystemLookup();
  /** Separate from local names: the owner of a name server can make these lookups slow. */
  private readonly unknown = new SystemLookup();

  /** @param nameServers instead of the machine's: `127.0.0.1:5353` */
  constructor(private readonly nameServers?: readonly string[]) {}

  readonly resolve: Resolve = callbackify(async (hostname: string, { family }: LookupOptions) => {
    const all = await this.find(hostname);
    return family ? all.filter((address) => address.family === family) : all;
  });

  private async find(hostname: string): Promise<LookupAddress[]> {
    if (!hostname.includes('.')) return this.local.find(hostname);
    // A new resolver each time reads the machine's current name servers.
    const resolver = new promises.Resolver(DNS);
    if (this.nameServers) resolver.setServers(this.nameServers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
    );
    const unanswered = failures.find(({ code }) => UNANSWERED.has(code));
    if (unanswered) throw unanswered;
    return this.unknown.find(hostname);
  }
}

/**
 * Lookups of the system, one at a time, so that they hold at most one thread. Concurrent lookups of one name share the
 * result.
 */
class SystemLookup {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();
  private last: Promise<unknown> = Promise.resolve();

  find(hostname: string): Promise<LookupAddress[]> {
    const known = this.underWay.get(hostname);
    if (known) return known;
    const answer = this.last
      .then(() => promises.lookup(hostname, { all: true }))
      .finally(() => this.underWay.delete(hostname));
    this.underWay.set(hostname, answer);
    this.last = answer.catch(() => undefined);
    return answer;
  }
}
