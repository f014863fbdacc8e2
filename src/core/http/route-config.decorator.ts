import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

const { KEY } = RouteConfig({});

/** Adds to the configuration of a route. Nest's own RouteConfig replaces what another decorator has put there. */
export function ExtendRouteConfig(config: Partial<FastifyContextConfig>): MethodDecorator {
  return (target, property, descriptor) => {
    const present = (Reflect.getMetadata(KEY, descriptor.value as object) ?? {}) as object;
    RouteConfig({ ...present, ...config })(target, property, descriptor);
  };
}
