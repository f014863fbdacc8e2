import { applyDecorators } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { EventType } from '#contracts';

/**
 * Calls the method for a domain event in the process that stored it, after the commit, at most once: a crash in between
 * loses the call. So a listener only wakes workers, or updates state of this process. Work that must happen is a due row,
 * written by the statement that stores the event; the workers' sweep finds it.
 */
export function OnDomainEvent(...types: EventType[]): MethodDecorator {
  return applyDecorators(...types.map((type) => OnEvent(type)));
}
