import { applyDecorators } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { EventType } from '#contracts';

/**
 * Handles a domain event after its transaction has committed. At least once: after a crash, or when any handler of the
 * event rejected, all of its handlers run again, on any instance. So a handler must be idempotent, and quick: it
 * records what is to do and leaves the doing to `core/work`.
 */
export function OnDomainEvent(...types: EventType[]): MethodDecorator {
  return applyDecorators(...types.map((type) => OnEvent(type, { suppressErrors: false })));
}
