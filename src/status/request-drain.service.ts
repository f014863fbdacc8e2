import type { Server, ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/**
 * While requests are under way that began before the stop, the listener stays open: a balancer can only turn away from an
 * instance whose 503 it gets to see, and needs a moment to do so. What stops in Nest's hooks has stopped by then.
 */
@Injectable()
export class RequestDrain implements OnModuleInit, OnModuleDestroy {
  stopping = false;
  /** Requests that began before the stop, and are not answered yet. */
  private underWay = 0;
  private readonly drained = Promise.withResolvers<void>();

  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    const adapter = this.host.httpAdapter;
    // Not in a hook of Fastify's: of those before it some take their time, and some refuse.
    adapter.getHttpServer<Server>().prependListener('request', (_request, response) => this.began(response));
    // Nest closes the listener after the hooks that stop everything else. Fastify's `preClose` may take ten seconds only.
    const close = adapter.close.bind(adapter);
    adapter.close = async () => {
      if (this.underWay > 0) await this.drained.promise;
      await close();
    };
  }

  /** The first hook of a stop: the later ones wait for what is in flight, and balancers should turn away before that. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  private began(response: ServerResponse): void {
    if (this.stopping) {
      // The next request had better come on a new connection, to another instance.
      response.setHeader('connection', 'close');
      return;
    }
    this.underWay += 1;
    response.once('close', this.ended);
  }

  /** Answered to the end, or the client has gone. */
  private readonly ended = (): void => {
    this.underWay -= 1;
    if (this.stopping && this.underWay === 0) this.drained.resolve();
  };
}
