import { ApiHeader } from '@nestjs/swagger';

/** Documents that the operation takes an Idempotency-Key. */
export function ApiIdempotencyKey(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'A text that the client chooses, unique for the API key. For 24 hours, a repeated request with the same idempotency key is not executed again: it gets the first response, with `Idempotent-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-4711-shipped',
  });
}
