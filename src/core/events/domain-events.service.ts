import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import type { EventData, EventType } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database, statement } from '../database/database.service';
import { Metrics } from '../observability/metrics.service';
import { Batcher } from '../jobs/batcher';
import { domainEvent, type DomainEvent } from './domain-event';
import { EventEntity } from './event.entity';
import { eventRows, insertEvents } from './event-rows';

export const STORE = statement('events-store', `WITH ${insertEvents('$1')} SELECT 1`);
export const HANDLED = statement('events-handled', 'DELETE FROM event_outbox WHERE event_id = ANY($1::uuid[])');
/**
 * Handled events leave the outbox in batches, this often: each batch is a commit that waits for the disk, beside those of
 * the sends. After a crash, the remaining events are handled again.
 */
const ACKNOWLEDGE_MS = 100;

/** The bus. */
@Injectable()
export class DomainEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DomainEvents.name);
  private readonly running = new Set<Promise<void>>();
  /** An event whose acknowledgement is lost is handled again. */
  private readonly acknowledged = new Batcher<string>((ids) => this.database.query(HANDLED, [ids]), {
    gatherMs: ACKNOWLEDGE_MS,
    onFailure: (err) => this.logger.warn({ err }, 'Handled events could not be removed from the outbox'),
  });

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  create<T extends EventType>(type: T, data: EventData<T>): DomainEvent<T> {
    return domainEvent(type, data, this.clock.now());
  }

  /** The parameter that `insertEvents` reads. */
  rows(events: readonly DomainEvent[]): string {
    return eventRows(events);
  }

  /** Stores events in a statement of their own, then publishes them. */
  async record(...events: DomainEvent[]): Promise<void> {
    await this.store(events);
    this.publish(events);
  }

  /** Stores events. The caller publishes them, after the commit of its transaction if there is one. */
  async store(events: readonly DomainEvent[], transaction?: EntityManager): Promise<void> {
    const values = [this.rows(events)];
    await (transaction ? transaction.query(STORE.text, values) : this.database.query(STORE, values));
  }

  /** Stores an event that no listener gets, as part of a transaction. */
  async keep({ id, environment, type, body, createdAt }: DomainEvent, transaction: EntityManager): Promise<void> {
    await transaction.insert(EventEntity, { id, environment, type, body, createdAt });
  }

  /**
   * Hands committed events to the listeners, without waiting for them. Call it after the commit: before it, a listener would
   * not find the event's rows in the database.
   */
  publish(events: readonly DomainEvent[]): void {
    void this.deliver(events);
  }

  /** The same for many events: resolves when the listeners have ended, so that the caller can limit events in memory. */
  async deliver(events: readonly DomainEvent[]): Promise<void> {
    this.metrics.eventsRecorded(events);
    await Promise.all(
      events.map((event) => {
        const run = this.handle(event).finally(() => this.running.delete(run));
        this.running.add(run);
        return run;
      }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
    await this.acknowledged.flush();
  }

  private async handle(event: DomainEvent): Promise<void> {
    try {
      await this.emitter.emitAsync(event.type, event);
    } catch (error) {
      this.logger.warn(
        { err: error, event: event.id },
        `A handler of ${event.type} failed; the event will be handled again`,
      );
      return;
    }
    this.acknowledged.push(event.id);
  }
}
