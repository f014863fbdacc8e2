import { Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import type { EventData, EventType } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database } from '../database/database.service';
import { Metrics } from '../observability/metrics.service';
import { Tracer } from '../observability/tracing/tracer';
import { domainEvent, type DomainEvent, type EventSubject } from './domain-event';
import { EventAnnouncements } from './event-announcements.service';
import { EventEntity } from './event.entity';
import { eventRows, STORE } from './event.rows';

/** The bus: it gives committed events to the listeners of this process. The work that they cause is already stored as rows. */
@Injectable()
export class DomainEvents {
  constructor(
    private readonly emitter: EventEmitter2,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly announcements: EventAnnouncements,
    private readonly tracer: Tracer,
  ) {}

  /** @param subject default: the conversation and the message that the data names; null: none */
  create<T extends EventType>(type: T, data: EventData<T>, subject?: EventSubject | null): DomainEvent<T> {
    return domainEvent(type, data, this.clock.now(), this.tracer.traceparent, subject);
  }

  /** Stores events in a statement of their own, then publishes them. */
  async record(...events: DomainEvent[]): Promise<void> {
    await this.store(events);
    this.publish(events);
  }

  /** Stores events. The caller publishes them, after the commit of its transaction if there is one. */
  async store(events: readonly DomainEvent[], transaction?: EntityManager): Promise<void> {
    const values = [eventRows(events)];
    await (transaction ? transaction.query(STORE.text, values) : this.database.query(STORE, values));
  }

  /** Stores an event that no listener and no subscribed webhook gets, as part of a transaction. */
  async keep(
    { id, environment, type, body, createdAt, traceparent }: DomainEvent,
    transaction: EntityManager,
  ): Promise<void> {
    await transaction.insert(EventEntity, { id, environment, type, body, createdAt, traceparent });
  }

  /**
   * Gives committed events to the listeners. Call it after the commit: before it, the workers that a listener wakes would
   * not find the new work.
   */
  publish(events: readonly DomainEvent[]): void {
    this.metrics.eventsRecorded(events);
    this.announcements.committed(events);
    for (const event of events) this.emitter.emit(event.type, event);
  }
}
