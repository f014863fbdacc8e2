import { applyDecorators } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { EventType } from '#contracts';

/**
 * Handles a domain event after its transaction has committed, at least once: after a crash, or if a handler of the event
 * rejects, all of its handlers run again, on any instance. So a handler must be idempotent, and quick: it records due work
 * and leaves the rest to workers.
 */
export function OnDomainEvent(...types: EventType[]): MethodDecorator {
  return applyDecorators(...types.map((type) => OnEvent(type, { suppressErrors: false })));
}
