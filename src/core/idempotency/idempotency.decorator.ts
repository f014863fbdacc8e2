import { ApiHeader } from '@nestjs/swagger';

/** Documents that the operation takes an Idempotency-Key. */
export function ApiIdempotencyKey(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Any text of the client’s, per API key. For 24 hours the same request under the same key is answered as the first time, with `Idempotent-Replayed: true`, and not done again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-4711-shipped',
  });
}
