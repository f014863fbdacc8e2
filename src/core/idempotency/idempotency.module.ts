import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyRetention } from './idempotency-retention.service';
import { Idempotency } from './idempotency.service';
import { IdempotentRequestEntity } from './idempotent-request.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotentRequestEntity])],
  providers: [Idempotency, IdempotencyRetention],
  exports: [Idempotency],
})
export class IdempotencyModule {}
