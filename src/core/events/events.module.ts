import { Global, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENTS } from '#contracts';
import { queryIn } from '../database/database.service';
import { DomainEvents } from './domain-events.service';
import { EventAnnouncements } from './event-announcements.service';
import { EventErasure } from './event-erasure.service';
import { HAS_DISPATCHES, IS_SETTLED } from './event.rows';
import { EventEntity } from './event.entity';
import { firstIdOf } from './id-times';
import { Partitions } from './partitions.service';
import { Retention } from './retention.service';

@Global()
@Module({
  imports: [EventEmitterModule.forRoot({ maxListeners: 50 }), TypeOrmModule.forFeature([EventEntity])],
  providers: [DomainEvents, EventAnnouncements, EventErasure, Partitions, Retention],
  exports: [DomainEvents, EventAnnouncements, EventErasure, Retention],
})
export class EventsModule {
  constructor(retention: Retention) {
    retention.keepDaysOf('event_days', ENVIRONMENTS, (environment, rows, before) =>
      rows
        .createQueryBuilder(EventEntity, 'old')
        .where('old.environment = :environment AND old.createdAt < :before', { environment, before })
        .andWhere(IS_SETTLED)
        .orderBy('old.createdAt'),
    );
    // As above: an event stays while it has dispatches.
    retention.dropDaysOf(
      'event_days',
      'events',
      async (rows, until) => (await queryIn(rows, HAS_DISPATCHES, [firstIdOf(until)])).length === 0,
    );
  }
}
