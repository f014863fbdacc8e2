import { Reflector } from '@nestjs/core';

/** The handler reads the body itself, after it has checked the headers, e.g. to verify a signature over the exact bytes. */
export const LeaveBodyUnread = Reflector.createDecorator<void>();
