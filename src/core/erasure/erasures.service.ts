import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Database } from '../database/database.service';
import { EventErasure } from '../events/event-erasure.service';
import { DomainEvents } from '../events/domain-events.service';
import { eventRows } from '../events/event.rows';
import type { DueRow } from '../work/due.rows';
import { Work } from '../work/work.service';
import { ErasureEntity } from './erasure.entity';
import type { ErasurePart } from './erasure.port';
import { DUE_ERASURES, FINISH_ERASURE, POSTPONE_ERASURE } from './erasure.rows';

export const ERASURES = 'erasures';
const CONCURRENCY = 4;

interface ErasureRow extends DueRow {
  conversation_id: string;
  erased_at: Date;
}

/** Removes the data of erased conversations. The owner of each table registers the part that removes its rows. */
@Injectable()
export class Erasures implements OnModuleInit {
  private readonly parts: ErasurePart[] = [];

  constructor(
    private readonly work: Work,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly eventErasure: EventErasure,
  ) {}

  /** Call it while modules initialise. */
  register(part: ErasurePart): void {
    this.parts.push(part);
  }

  /** Stores the work in the transaction that marks the conversation as erased. Call `wake` after the commit. */
  async add(transaction: EntityManager, conversationId: string, environment: Environment, erasedAt: Date) {
    await transaction.insert(ErasureEntity, { conversationId, environment, erasedAt, nextAt: () => 'now()' });
  }

  wake(environment: Environment, conversationId: string): void {
    this.work.wake(ERASURES, environment, conversationId);
  }

  onModuleInit(): void {
    this.work.register<ErasureRow>({
      name: ERASURES,
      due: DUE_ERASURES,
      concurrency: CONCURRENCY,
      run: (row, signal) => this.run(row, signal),
    });
  }

  /**
   * A statement that was running when the conversation was marked may still write once, until the parts have locked and
   * changed the rows that it depends on: so all parts run twice. Events go last, because parts find rows by them.
   */
  private async run({ conversation_id: id, environment, erased_at, fence }: ErasureRow, signal: AbortSignal) {
    let isDone = true;
    for (const part of [...this.parts, ...this.parts, this.eventErasure])
      isDone = ((await part.erase?.({ id, environment }, signal)) ?? true) && isDone;
    signal.throwIfAborted();
    if (!isDone) {
      await this.database.query(POSTPONE_ERASURE, [id, fence]);
      return;
    }
    const erased = this.events.create(
      'conversation.erased',
      { environment, conversation_id: toPublicId('conversation', id), erased_at: erased_at.toISOString() },
      null,
    );
    const finished = await this.database.query(FINISH_ERASURE, [id, fence, eventRows([erased])]);
    if (finished.length > 0) this.events.publish([erased]);
  }
}
