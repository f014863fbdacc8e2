import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { sanitizeText, SEND_FAILURES, type AccountKey } from '#contracts';
import type { HealthDirection, PartRefused } from '#platforms';
import { Clock } from '../../core/clock/clock.service';
import { isDataFault } from '../../core/database/connections/data-fault';
import { DatabaseListener } from '../../core/database/database-listener.service';
import { Batcher } from '../../core/work/batcher';
import { Timers } from '../../core/work/timers/timers.service';
import { NOTHING_KNOWN, together, type DirectionHealth, type HealthSubject } from './direction-health';
import {
  INTEGRATION_HEALTH_CHANGED,
  IntegrationHealthStore,
  type KnownHealth,
} from './integration-health-store.service';

/** How often this instance writes its observations, in milliseconds: a write for each send would be too many. */
const FLUSH_MS = 1_000;
/** How often this instance reads the health again, in case it missed an announcement, in milliseconds. */
const REFRESH_MS = 60_000;
/** Longest error kept, in characters: errors of platforms may repeat the message that was sent. */
const LONGEST_ERROR = 500;
/** How long a reported backlog is valid, in milliseconds: platforms report it every 30 seconds. */
const BACKLOG_KNOWN_MS = 60_000;

/** The health of receiving and sending of each platform. Other instances see a change within two seconds. */
@Injectable()
export class IntegrationHealth implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(IntegrationHealth.name);
  /** The stored health, and this instance's newer observations. */
  private readonly known = new Map<string, DirectionHealth>();
  /** Keys of the subjects in `observed`. */
  private readonly unwritten = new Set<string>();
  private readonly observed = new Batcher<HealthSubject>((subjects) => this.write(subjects), {
    gatherMs: FLUSH_MS,
    retryMs: FLUSH_MS,
    onFailure: (err) => this.logger.debug({ err }, 'The health of the platforms could not be stored yet'),
  });

  constructor(
    private readonly store: IntegrationHealthStore,
    private readonly clock: Clock,
    private readonly listener: DatabaseListener,
    private readonly timers: Timers,
  ) {}

  async onModuleInit(): Promise<void> {
    const job = this.timers.every('Platform health refresh', REFRESH_MS, () => this.refresh(), {
      scope: 'process',
    });
    this.listener.follow(INTEGRATION_HEALTH_CHANGED, () => void job.run());
    await this.refresh();
  }

  /** Closes in this late hook because sends and requests finish before it; the database closes after it. */
  async onApplicationShutdown(): Promise<void> {
    await this.observed.close();
  }

  of(at: AccountKey, direction: HealthDirection): DirectionHealth {
    const known = this.known.get(keyOf({ ...at, direction })) ?? NOTHING_KNOWN;
    const isOld = known.backlogAt !== null && this.clock.now() - known.backlogAt > BACKLOG_KNOWN_MS;
    return isOld ? { ...known, backlog: null } : known;
  }

  succeeded(at: AccountKey, direction: HealthDirection): void {
    this.add(subjectOf(at, direction), { ...NOTHING_KNOWN, lastSuccessAt: this.clock.now() });
  }

  /** @returns the time of the failure, in Unix milliseconds */
  failed(at: AccountKey, direction: HealthDirection, { code, message }: { code: string; message: string }): number {
    const lastErrorAt = this.clock.now();
    // A text that PostgreSQL cannot store would fail the whole batch.
    const lastError = sanitizeText(message, LONGEST_ERROR);
    const error = { lastErrorAt, lastErrorCode: sanitizeText(code), lastError };
    this.add(subjectOf(at, direction), { ...NOTHING_KNOWN, ...error });
    return lastErrorAt;
  }

  /**
   * Records that a platform refused a send. Ignores a permanent refusal that does not concern our account: it is about
   * the recipient or the text, not about the platform.
   */
  sendFailed(
    at: AccountKey,
    { failure, concernsAccount = false }: Pick<PartRefused, 'failure' | 'concernsAccount'>,
  ): void {
    const isOurs = concernsAccount || failure.code === 'auth_failed';
    if (!isOurs && !SEND_FAILURES[failure.code].retryable) return;
    this.failed(at, 'sending', failure);
  }

  /** Clears the failure of `at` (Unix milliseconds) without recording a success. */
  resolved(of: AccountKey, direction: HealthDirection, at: number): void {
    // One millisecond later replaces that error, but not a later one.
    const none = { lastErrorAt: at + 1, lastErrorCode: null, lastError: null };
    this.add(subjectOf(of, direction), { ...NOTHING_KNOWN, ...none });
  }

  /** Records how many messages wait at the platform to be received. */
  waiting(at: AccountKey, backlog: number): void {
    const told = { backlog, backlogAt: this.clock.now() };
    this.add(subjectOf(at, 'receiving'), { ...NOTHING_KNOWN, ...told });
  }

  private add(subject: HealthSubject, news: DirectionHealth): void {
    const key = keyOf(subject);
    this.known.set(key, together(this.known.get(key) ?? NOTHING_KNOWN, news));
    if (this.unwritten.has(key)) return;
    this.unwritten.add(key);
    this.observed.push(subject);
  }

  /** Writes what is known of the subjects by now. A failed write is repeated, but not one that the database refuses. */
  private async write(subjects: readonly HealthSubject[]): Promise<void> {
    const byKey = new Map(subjects.map((subject) => [keyOf(subject), subject]));
    for (const key of byKey.keys()) this.unwritten.delete(key);
    try {
      await this.store.record([...byKey].map(([key, subject]): KnownHealth => [subject, this.known.get(key)!]));
    } catch (error) {
      if (!isDataFault(error)) for (const key of byKey.keys()) this.unwritten.add(key);
      throw error;
    }
  }

  /** Keeps the last known health while the database is unavailable. */
  private async refresh(): Promise<void> {
    try {
      for (const [subject, health] of await this.store.all()) {
        const key = keyOf(subject);
        this.known.set(key, together(this.known.get(key) ?? NOTHING_KNOWN, health));
      }
    } catch {
      // the next announcement, or the next periodic refresh, reads it
    }
  }
}

/** Copies the fields one by one: the argument may have more, and all fields of a subject are written. */
function subjectOf({ environment, platform, account }: AccountKey, direction: HealthDirection): HealthSubject {
  return { environment, platform, account, direction };
}

function keyOf({ environment, platform, account, direction }: HealthSubject): string {
  return `${environment} ${platform} ${account} ${direction}`;
}
