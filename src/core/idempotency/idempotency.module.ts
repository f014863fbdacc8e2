import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Retention } from '../events/retention.service';
import { Idempotency } from './idempotency.service';
import { IdempotentRequestEntity } from './idempotent-request.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotentRequestEntity])],
  providers: [Idempotency],
  exports: [Idempotency],
})
export class IdempotencyModule {
  constructor(retention: Retention) {
    retention.keepDays(1, (rows, before) =>
      rows
        .createQueryBuilder(IdempotentRequestEntity, 'old')
        .where('old.createdAt < :before', { before })
        .orderBy('old.createdAt'),
    );
  }
}
