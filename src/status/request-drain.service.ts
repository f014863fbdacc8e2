import type { Server, ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/**
 * The listener stays open until the requests that began before the stop have ended: a load balancer needs time to see the
 * 503 and to choose another instance. The services that stop in Nest's hooks have stopped by then.
 */
@Injectable()
export class RequestDrain implements OnModuleInit, OnModuleDestroy {
  stopping = false;
  /** Requests that began before the stop and have no answer yet. */
  private underWay = 0;
  private readonly drained = Promise.withResolvers<void>();

  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    const adapter = this.host.httpAdapter;
    // Not in a hook of Fastify: some earlier hooks are slow, and some refuse.
    adapter.getHttpServer<Server>().prependListener('request', (_request, response) => this.began(response));
    // Nest closes the listener after the hooks that stop everything else. Fastify's `preClose` may take only ten seconds.
    const close = adapter.close.bind(adapter);
    adapter.close = async () => {
      if (this.underWay > 0) await this.drained.promise;
      await close();
    };
  }

  /** The first hook of a stop: later hooks wait for the requests in flight, and load balancers should see 503 before that. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  private began(response: ServerResponse): void {
    if (this.stopping) {
      // The client sends its next request on a new connection, which may reach another instance.
      response.setHeader('connection', 'close');
      return;
    }
    this.underWay += 1;
    response.once('close', this.ended);
  }

  /** The answer is sent, or the client has disconnected. */
  private readonly ended = (): void => {
    this.underWay -= 1;
    if (this.stopping && this.underWay === 0) this.drained.resolve();
  };
}
