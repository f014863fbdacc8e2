import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { storableText, type Environment, type Platform } from '#contracts';
import type { HealthDirection } from '#platforms';
import { Clock } from '../../core/clock/clock.service';
import { FlushTimer } from '../../core/jobs/flush-timer';
import { NOTHING_KNOWN, together, type DirectionHealth, type HealthSubject } from './direction-health';
import { IntegrationHealthStore, type KnownHealth } from './integration-health-store.service';

/** What this instance saw is written at most this often, in milliseconds, in one statement: sends are too many for a row each. */
const FLUSH_MS = 1_000;
/** How often it is read what others saw, in milliseconds. */
const REFRESH_MS = 2_000;
/** Longest error kept, in characters: platforms repeat in theirs what was sent. */
const LONGEST_ERROR = 500;
/** How long it counts how many messages wait, in milliseconds: it is told every half a minute. */
const BACKLOG_KNOWN_MS = 60_000;

/** How each direction of each platform does, on all instances: here at once, elsewhere within three seconds. */
@Injectable()
export class IntegrationHealth implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(IntegrationHealth.name);
  /** What is stored, and what this instance adds to it. */
  private readonly known = new Map<string, DirectionHealth>();
  private unwritten = new Map<string, KnownHealth>();
  private readonly flush = new FlushTimer(() => this.write(), FLUSH_MS);
  private refreshTimer?: NodeJS.Timeout;

  constructor(
    private readonly store: IntegrationHealthStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    this.refreshTimer = setInterval(() => void this.refresh(), REFRESH_MS);
    await this.refresh();
  }

  /** Later than most: sends under way and requests are finished first, and the database is closed after this. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.refreshTimer);
    await this.flush.now();
  }

  of(environment: Environment, platform: Platform, direction: HealthDirection): DirectionHealth {
    const known = this.known.get(keyOf({ environment, platform, direction })) ?? NOTHING_KNOWN;
    const isOld = known.backlogAt !== null && this.clock.now() - known.backlogAt > BACKLOG_KNOWN_MS;
    return isOld ? { ...known, backlog: null } : known;
  }

  succeeded(environment: Environment, platform: Platform, direction: HealthDirection): void {
    this.add({ environment, platform, direction }, { ...NOTHING_KNOWN, lastSuccessAt: this.clock.now() });
  }

  /** @returns when, in Unix milliseconds */
  failed(
    environment: Environment,
    platform: Platform,
    direction: HealthDirection,
    { code, message }: { code: string; message: string },
  ): number {
    const lastErrorAt = this.clock.now();
    // The cut may halve a surrogate pair: one text that cannot be stored would hold up all that is written with it.
    const lastError = storableText(message.slice(0, LONGEST_ERROR));
    const error = { lastErrorAt, lastErrorCode: storableText(code), lastError };
    this.add({ environment, platform, direction }, { ...NOTHING_KNOWN, ...error });
    return lastErrorAt;
  }

  /** What failed at `at`, in Unix milliseconds, is over, though nothing has worked since. */
  resolved(environment: Environment, platform: Platform, direction: HealthDirection, at: number): void {
    // Newer than that error, and older than any that came after it.
    const none = { lastErrorAt: at + 1, lastErrorCode: null, lastError: null };
    this.add({ environment, platform, direction }, { ...NOTHING_KNOWN, ...none });
  }

  /** How many messages wait at the platform to be received. */
  waiting(environment: Environment, platform: Platform, backlog: number): void {
    const told = { backlog, backlogAt: this.clock.now() };
    this.add({ environment, platform, direction: 'receiving' }, { ...NOTHING_KNOWN, ...told });
  }

  private add(subject: HealthSubject, news: DirectionHealth): void {
    const key = keyOf(subject);
    this.known.set(key, together(this.known.get(key) ?? NOTHING_KNOWN, news));
    this.unwritten.set(key, [subject, together(this.unwritten.get(key)?.[1] ?? NOTHING_KNOWN, news)]);
    this.flush.soon();
  }

  private async write(): Promise<void> {
    if (this.unwritten.size === 0) return;
    const batch = this.unwritten;
    this.unwritten = new Map();
    try {
      await this.store.record([...batch.values()]);
    } catch (error) {
      this.logger.debug({ err: error }, 'The health of the platforms could not be written; it is tried again');
      for (const [subject, health] of batch.values()) this.add(subject, health);
    }
  }

  /** Keeps what is known while the database is away. */
  private async refresh(): Promise<void> {
    try {
      for (const [subject, health] of await this.store.all()) {
        const key = keyOf(subject);
        this.known.set(key, together(this.known.get(key) ?? NOTHING_KNOWN, health));
      }
    } catch {
      // the next refresh is two seconds away
    }
  }
}

function keyOf({ environment, platform, direction }: HealthSubject): string {
  return `${environment} ${platform} ${direction}`;
}
