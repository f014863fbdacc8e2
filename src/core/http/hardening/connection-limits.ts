import cluster from 'node:cluster';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.service';
import type { Siblings } from '../../cluster/siblings.service';
import type { Configuration } from '../../config/configuration';
import { addressGroup } from '../../rate-limiting/address-group';
import type { Metrics } from '../../observability/metrics.service';
import { RateLimitError, type ApiError } from '../lifecycle/api-error';
import { withoutMapping } from '../lifecycle/client-address';
import { routeOf } from '../lifecycle/request-context';
import { answerOnSocket } from './socket-answer';

/** The last sockets, of the total and of each address, serve only /health. */
export const RESERVE = 16;
/** A reserved socket has this long for its headers, in milliseconds. */
export const RESERVE_HEADERS_MS = 1_000;

type Limits = Pick<Configuration['http'], 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>;

/** A socket that serves only /health. */
interface Reserved {
  refusal: ApiError;
  /** Timer of the headers' time limit. */
  timer: NodeJS.Timeout;
}

/**
 * Limits open sockets, in total and per address, so that strangers cannot take them all: the last sixteen stay free for load
 * balancers that ask for the gateway's health. A trusted proxy's sockets carry many clients: there, the open requests of
 * each client count.
 */
export class ConnectionLimits {
  private open = 0;
  /** No refusal can be written into a TLS handshake. */
  private isTls = false;
  /** Reserved sockets by their peer: a TLS socket is another object than the socket below it. */
  private readonly reserved = new Map<string, Reserved>();
  /** Sockets whose count the primary has not answered yet; resolves with the reason if the socket was destroyed. */
  private readonly deciding = new Map<string, Promise<ApiError | undefined>>();
  private readonly proxies = new BlockList();

  constructor(
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly siblings: Siblings,
  ) {
    metrics.read('gateway_open_sockets', 'Open sockets of clients.', () => this.open);
    metrics.read(
      'gateway_open_sockets_limit',
      'Maximum number of open sockets (MAX_CONNECTIONS).',
      () => limits.maxConnections,
    );
    for (const range of limits.trustProxy) {
      const [address = '', bits] = range.split('/');
      this.proxies.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** Call it after the hook that begins requests. */
  install(fastify: FastifyInstance): void {
    const { server } = fastify;
    this.isTls = 'setSecureContext' in server;
    // In a cluster, a connection above a worker's limit would be passed on from worker to worker.
    if (!cluster.isWorker) server.maxConnections = this.limits.maxConnections;
    server.prependListener('connection', (socket) => this.opened(socket));
    fastify.addHook('onRequest', (request, reply, proceed) => {
      const deciding = this.deciding.size > 0 ? this.deciding.get(peerOf(request.raw.socket)) : undefined;
      const fault = deciding
        ? deciding.then((refusal) => refusal ?? this.faultOf(request, reply))
        : this.faultOf(request, reply);
      if (fault instanceof Promise) void fault.then((found) => proceed(found));
      else proceed(fault);
    });
  }

  private opened(socket: Socket): void {
    const address = withoutMapping(socket.remoteAddress ?? '');
    const counted = this.isProxy(address) ? undefined : addressGroup(address);
    this.open += 1;
    const peer = peerOf(socket);
    socket.once('close', () => {
      this.open -= 1;
      if (counted !== undefined) void this.siblings.add(`sockets:${counted}`, -1);
      clearTimeout(this.reserved.get(peer)?.timer);
      this.reserved.delete(peer);
    });
    const own = counted === undefined ? 0 : this.siblings.add(`sockets:${counted}`, 1);
    if (typeof own === 'number') {
      this.admit(socket, peer, own);
      return;
    }
    const decision = own.then((count) => this.admit(socket, peer, count)).finally(() => this.deciding.delete(peer));
    this.deciding.set(peer, decision);
  }

  /**
   * @param own number of sockets of its address
   * @returns the reason if it destroyed the socket
   */
  private admit(socket: Socket, peer: string, own: number): ApiError | undefined {
    if (socket.destroyed) return undefined;
    const { maxConnections, maxConnectionsPerAddress } = this.limits;
    // A worker's server has no limit of its own.
    if (this.open > maxConnections || own > maxConnectionsPerAddress + RESERVE) {
      this.metrics.refused('connections');
      socket.destroy();
      return tooMany(maxConnectionsPerAddress);
    }
    const isLast = this.open > maxConnections - RESERVE;
    if (!isLast && own <= maxConnectionsPerAddress) return undefined;
    const refusal = tooMany(isLast ? maxConnections : maxConnectionsPerAddress);
    const refuse = () => {
      this.metrics.refused('connections');
      if (this.isTls) socket.destroy();
      else answerOnSocket(socket, refusal, this.clock);
    };
    const timer = setTimeout(refuse, RESERVE_HEADERS_MS).unref();
    this.reserved.set(peer, { refusal, timer });
    return undefined;
  }

  private faultOf(request: FastifyRequest, reply: FastifyReply): ApiError | undefined | Promise<ApiError | undefined> {
    const { socket } = request.raw;
    const { maxConnectionsPerAddress, trustProxy } = this.limits;
    const isHealth = routeOf(request)?.startsWith('/health') === true;
    const reserved = this.reserved.size > 0 ? this.reserved.get(peerOf(socket)) : undefined;
    if (reserved) {
      clearTimeout(reserved.timer);
      void reply.header('connection', 'close');
      if (!isHealth) return reserved.refusal;
    }
    if (trustProxy.length === 0 || isHealth || !this.isProxy(withoutMapping(socket.remoteAddress ?? '')))
      return undefined;
    const client = addressGroup(request.gateway.clientIp);
    reply.raw.once('close', () => void this.siblings.add(`requests:${client}`, -1));
    const own = this.siblings.add(`requests:${client}`, 1);
    const faultOf = (count: number) =>
      count > maxConnectionsPerAddress ? tooMany(maxConnectionsPerAddress) : undefined;
    return typeof own === 'number' ? faultOf(own) : own.then(faultOf);
  }

  private isProxy(address: string): boolean {
    return this.limits.trustProxy.length > 0 && this.proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function tooMany(limit: number): RateLimitError {
  const details = { limit, window_seconds: 1, retry_after_seconds: 1 };
  return new RateLimitError('connections', details, `More than ${limit} connections are open.`);
}
