import { Global, Module } from '@nestjs/common';
import { IdempotencyRetention } from './idempotency-retention';
import { Idempotency } from './idempotency';

@Global()
@Module({ providers: [Idempotency, IdempotencyRetention], exports: [Idempotency] })
export class IdempotencyModule {}
