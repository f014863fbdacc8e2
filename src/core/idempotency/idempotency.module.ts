import { Global, Module } from '@nestjs/common';
import { IdempotencyRetention } from './idempotency-retention.service';
import { Idempotency } from './idempotency.service';

@Global()
@Module({ providers: [Idempotency, IdempotencyRetention], exports: [Idempotency] })
export class IdempotencyModule {}
