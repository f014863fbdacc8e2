import { Reflector } from '@nestjs/core';

/** Keeps the exact bytes of the body in `request.rawBody`, so that the handler can check a signature. The handler parses them. */
export const KeepRawBody = Reflector.createDecorator<void>();
