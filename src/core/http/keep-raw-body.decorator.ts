import { Reflector } from '@nestjs/core';

/** A handler that gets the exact bytes of its body, in `request.rawBody`, to check a signature over them. It parses them itself. */
export const KeepRawBody = Reflector.createDecorator<void>();
