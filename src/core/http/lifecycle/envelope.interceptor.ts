import { Readable } from 'node:stream';
import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { SSE_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Clock } from '../../clock/clock.service';
import { success } from './envelope';
import { isApi } from './request-context';

/** Wraps the results of handlers under /api: `{success, data, meta}`. Streams, files and server-sent events stay unwrapped. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isApi(request) || this.reflector.get(SSE_METADATA, context.getHandler())) return next.handle();
    return next.handle().pipe(
      map((result: unknown) => {
        const isStream = result instanceof Readable || result instanceof StreamableFile;
        return isStream ? result : success(request, result, this.clock);
      }),
    );
  }
}
