import { Global, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEvents } from './domain-events.service';
import { EventAnnouncements } from './event-announcements.service';
import { EventRetention } from './event-retention.service';
import { EventEntity } from './event.entity';

@Global()
@Module({
  imports: [EventEmitterModule.forRoot({ maxListeners: 50 }), TypeOrmModule.forFeature([EventEntity])],
  providers: [DomainEvents, EventAnnouncements, EventRetention],
  exports: [DomainEvents, EventAnnouncements],
})
export class EventsModule {}
