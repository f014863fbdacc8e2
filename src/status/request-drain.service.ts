import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Siblings } from '../core/cluster/siblings.service';
import { NEVER_QUIET } from '../core/cluster/until-quiet';
import { Configuration } from '../core/config/configuration';
import type { GatewayAdapter } from '../core/http/gateway-adapter';
import { ConnectionDrain } from './connection-drain';

/**
 * Drains requests at a stop. A load balancer needs time to see the 503 and to choose another instance, so requests are still
 * accepted for a while, and the listener then stays open until the requests that began before have ended. By then the
 * services that stop in Nest's hooks have stopped.
 */
@Injectable()
export class RequestDrain implements OnModuleInit, OnModuleDestroy {
  stopping = false;
  private readonly logger = new Logger(RequestDrain.name);
  private closing = false;
  /** Requests that began before the close and have no answer yet. */
  private readonly underWay = new Set<ServerResponse>();
  /** The newest request of each connection. */
  private readonly latest = new WeakMap<Socket, ServerResponse>();
  private readonly drained = Promise.withResolvers<void>();
  /** Undefined if a start fails before the modules are initialised. */
  private connections?: ConnectionDrain;

  constructor(
    private readonly host: HttpAdapterHost<GatewayAdapter>,
    private readonly configuration: Configuration,
    private readonly siblings: Siblings,
  ) {}

  onModuleInit(): void {
    const adapter = this.host.httpAdapter;
    const server = adapter.getHttpServer<Server>();
    const connections = new ConnectionDrain(server);
    this.connections = connections;
    // Not in a hook of Fastify: some earlier hooks are slow, and some refuse the request.
    server.prependListener('request', ({ socket }, response) => this.began(socket, response));
    // Nest closes the listener after the hooks that stop everything else.
    adapter.drain = async (close) => {
      if (this.underWay.size > 0) await this.drained.promise;
      await this.siblings.untilAcceptingEnds();
      if (!(await connections.closeListener())) this.logger.warn(NEVER_QUIET);
      await close();
      connections.end();
    };
  }

  /** Reports that this instance stops, and resolves after SHUTDOWN_DELAY_SECONDS. Call it before Nest's hooks. */
  async announce(): Promise<void> {
    this.stop();
    await sleep(this.configuration.http.shutdownDelaySeconds * 1_000);
  }

  /** Runs in the first hook of a stop: later hooks wait for open requests, and load balancers should see 503 before that. */
  onModuleDestroy(): void {
    this.stop();
    this.closing = true;
    this.connections?.begin();
  }

  private stop(): void {
    this.stopping = true;
    for (const response of this.underWay)
      if (this.latest.get(response.req.socket) === response) endsConnection(response);
  }

  private began(socket: Socket, response: ServerResponse): void {
    if (this.stopping) endsConnection(response);
    // This request was pipelined behind another one: its answer, not the earlier one, ends the connection.
    const earlier = this.latest.get(socket);
    if (earlier?.headersSent === false) earlier.removeHeader('connection');
    this.latest.set(socket, response);
    if (this.closing) return;
    this.underWay.add(response);
    response.once('close', () => this.ended(response));
  }

  /** Runs when the answer is sent, or the client has disconnected. */
  private ended(response: ServerResponse): void {
    this.underWay.delete(response);
    if (this.closing && this.underWay.size === 0) this.drained.resolve();
  }
}

/** Makes the client send its next request on a new connection, which may reach another instance. */
function endsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
