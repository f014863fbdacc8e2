import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyRetention } from './idempotency-retention.service';
import { Idempotency } from './idempotency.service';
import { IdempotentWaits } from './idempotent-waits.service';
import { IdempotentRequestEntity } from './idempotent-request.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotentRequestEntity])],
  providers: [Idempotency, IdempotencyRetention, IdempotentWaits],
  exports: [Idempotency],
})
export class IdempotencyModule {}
