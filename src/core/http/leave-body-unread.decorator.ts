import { Reflector } from '@nestjs/core';

/** The handler reads the body itself, e.g. to check a signature over its exact bytes, and only after a look at the headers. */
export const LeaveBodyUnread = Reflector.createDecorator<void>();
