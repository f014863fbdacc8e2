import { Global, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { DomainEvents } from './domain-events.service';
import { EventSweeper } from './event-sweeper.service';

@Global()
@Module({
  imports: [EventEmitterModule.forRoot({ maxListeners: 50 })],
  providers: [DomainEvents, EventSweeper],
  exports: [DomainEvents],
})
export class EventsModule {}
