import { Global, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEvents } from './domain-events.service';
import { EventOutboxEntity } from './event-outbox.entity';
import { EventRetention } from './event-retention.service';
import { EventSweeper } from './event-sweeper.service';
import { EventEntity } from './event.entity';

@Global()
@Module({
  imports: [
    EventEmitterModule.forRoot({ maxListeners: 50 }),
    TypeOrmModule.forFeature([EventEntity, EventOutboxEntity]),
  ],
  providers: [DomainEvents, EventSweeper, EventRetention],
  exports: [DomainEvents],
})
export class EventsModule {}
