import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The credentials of a request and where it came from: a change of keys judges them again, under its lock. */
export interface ClientCredentials {
  text: string;
  clientIp: string;
}

/** For routes that need a key. */
export const CurrentCredentials = createParamDecorator((_: unknown, context: ExecutionContext): ClientCredentials => {
  const { credentials, clientIp } = context.switchToHttp().getRequest<FastifyRequest>().gateway;
  return { text: credentials!.text, clientIp };
});
