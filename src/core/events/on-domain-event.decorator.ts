import { applyDecorators } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { EventType } from '#contracts';

/**
 * Hears a domain event in the process that stored it, after the commit, at most once: a crash in between loses the call. So
 * a listener only wakes workers, or serves what lives in this process. What must happen is due work, written in the
 * statement that stores the event; the sweep of its workers finds it.
 */
export function OnDomainEvent(...types: EventType[]): MethodDecorator {
  return applyDecorators(...types.map((type) => OnEvent(type)));
}
