import type { ExecutionContext, Type } from '@nestjs/common';

export type Handler = ReturnType<ExecutionContext['getHandler']>;

/**
 * Caches a value that derives from a handler's decorators, computed at its first request. Subclasses of a controller share
 * its handlers, so the class is part of the key.
 */
export class PerHandler<T extends object | null> {
  private readonly known = new WeakMap<Type, Map<Handler, T>>();

  constructor(private readonly decide: (controller: Type, handler: Handler) => T) {}

  of(context: ExecutionContext): T {
    const controller = context.getClass();
    const handler = context.getHandler();
    const decided = this.known.get(controller)?.get(handler);
    return decided === undefined ? this.remember(controller, handler) : decided;
  }

  private remember(controller: Type, handler: Handler): T {
    const decided = this.decide(controller, handler);
    const handlers = this.known.get(controller) ?? new Map<Handler, T>();
    this.known.set(controller, handlers.set(handler, decided));
    return decided;
  }
}
