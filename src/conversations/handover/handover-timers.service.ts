import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Not, Repository, type EntityManager } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { SettingsService } from '../../core/settings/settings.service';
import type { DueRow } from '../../core/work/due.rows';
import { Work } from '../../core/work/work.service';
import { HandoverEntity } from '../entities/handover.entity';
import { DUE_HANDOVERS } from './handover.rows';
import { Handovers } from './handovers.service';
import { raisedLimits, type AnswerLimit } from './raised-limits';

export const HANDOVERS = 'handovers';

/** A timer may fire this much too early, in milliseconds. */
const TOLERANCE_MS = 20;

interface TimerRow extends DueRow {
  conversation_id: string;
  resume_at: Date | null;
}

/** Hands conversations back to the assistant at their `resume_at`, or once the limit that they wait for is raised. */
@Injectable()
export class HandoverTimers implements OnModuleInit {
  private readonly logger = new Logger(HandoverTimers.name);

  constructor(
    @InjectRepository(HandoverEntity) private readonly rows: Repository<HandoverEntity>,
    private readonly handovers: Handovers,
    private readonly work: Work,
    private readonly clock: Clock,
    private readonly settings: SettingsService,
  ) {}

  onModuleInit(): void {
    this.work.register<TimerRow>({
      name: HANDOVERS,
      due: DUE_HANDOVERS,
      concurrency: 100,
      run: (row, signal) => this.run(row, signal),
    });
    this.settings.onChange((before, now) => {
      for (const environment of ENVIRONMENTS)
        void this.endWaits(environment, raisedLimits(before[environment], now[environment]));
    });
  }

  /** Each instance hears of a change and does this. Never rejects: after a failure the conversations wait until they are resumed. */
  private async endWaits(environment: Environment, limits: readonly AnswerLimit[]): Promise<void> {
    if (limits.length === 0) return;
    const waiting = { environment, waitsFor: In(limits), takenAt: IsNull(), requestedAt: Not(IsNull()) };
    const now = this.clock.date();
    await this.rows.update(waiting, { resumeAt: now, nextAt: now }).catch((err: unknown) => {
      this.logger.warn({ err }, 'Conversations waiting for a raised limit could not be resumed');
    });
  }

  /** A row is claimed shortly before its moment: the search for due work alone could be a second late. */
  private async run(row: TimerRow, signal: AbortSignal): Promise<void> {
    const waitMs = (row.resume_at?.getTime() ?? 0) - this.clock.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    await this.handovers.run((transaction) => this.resume(transaction, row));
  }

  private async resume(transaction: EntityManager, row: TimerRow): Promise<DomainEvent[]> {
    const { conversation_id: conversationId, environment, fence } = row;
    const conversation = await this.handovers.lock(transaction, environment, conversationId);
    const handover = await transaction.findOneBy(HandoverEntity, { conversationId, fence });
    if (!handover) return [];
    const { resumeAt } = handover;
    const isOver = resumeAt !== null && resumeAt.getTime() <= this.clock.now() + TOLERANCE_MS;
    if (isOver) return this.handovers.resume(transaction, conversation, 'timer');
    // A person set another time meanwhile.
    const released = { leaseUntil: null, attempts: 0, ...(resumeAt === null && { nextAt: null }) };
    await transaction.withRepository(this.rows).update({ conversationId, fence }, released);
    return [];
  }
}
