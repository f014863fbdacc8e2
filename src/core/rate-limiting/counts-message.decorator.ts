import { Reflector } from '@nestjs/core';

/**
 * Declares that a handler sends a message. The message is counted against `rate_limits.messages_per_minute` in one round trip
 * with the limits of the request, and given back if the request sends none.
 */
export const CountsMessage = Reflector.createDecorator<void, true | undefined>({ transform: () => true });
