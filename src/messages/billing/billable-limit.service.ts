import { Injectable } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { Metrics } from '../../core/observability/metrics.service';
import { SettingsService } from '../../core/settings/settings.service';
import { GIVE_BACK, RESERVE } from './billing.rows';
import { isBilled } from './billing.service';
import { DAY_MS, utcDay } from '../../core/clock/timeline';

/** Messages that a day has room for. */
export interface Reservation {
  environment: Environment;
  /** UTC. */
  day: string;
  messages: number;
}

/** A reservation that is asked for. */
interface Wanted {
  environment: Environment;
  platform: Platform;
  messages: number;
  /** Default: now. */
  at?: Date;
}

/** The day has no room: the limit, and the seconds until it frees; null: no wait helps. */
export interface BillableRefusal {
  limit: number;
  retryAfterSeconds: number | null;
}

/** `rate_limits.billable_messages_per_day`: sends reserve what they will be billed for, and callbacks settle it. */
@Injectable()
export class BillableLimit {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  isLimited(environment: Environment, platform: Platform): boolean {
    return isBilled(platform) && this.settings.of(environment).rate_limits.billable_messages_per_day !== null;
  }

  /** @returns undefined where there is no limit */
  async reserve({ environment, platform, messages, at }: Wanted): Promise<Reservation | BillableRefusal | undefined> {
    const { billable_messages_per_day: limit } = this.settings.of(environment).rate_limits;
    if (limit === null || !this.isLimited(environment, platform)) return undefined;
    const time = at?.getTime() ?? this.clock.now();
    const day = utcDay(time);
    const rows = await this.database.query(RESERVE, [environment, day, messages, limit]);
    if (rows.length > 0) return { environment, day, messages };
    this.metrics.refused('billable');
    const end = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
    const seconds = Math.ceil((end - this.clock.now()) / 1_000);
    return { limit, retryAfterSeconds: messages > limit ? null : seconds };
  }

  /** As `reserve`. @throws ApiError RATE_LIMIT_EXCEEDED */
  async take(wanted: Wanted): Promise<Reservation | undefined> {
    const reserved = await this.reserve(wanted);
    if (!reserved || 'day' in reserved) return reserved;
    const { limit, retryAfterSeconds } = reserved;
    throw new ApiError('RATE_LIMIT_EXCEEDED', {
      limit,
      window_seconds: DAY_MS / 1_000,
      retry_after_seconds: retryAfterSeconds,
      scope: 'billable',
    });
  }

  /** More messages than were reserved before it was known how many there are. */
  async add({ environment, day }: Reservation, messages: number): Promise<void> {
    if (messages > 0) await this.database.query(RESERVE, [environment, day, messages, null]);
  }

  /** Messages that are not sent. */
  async giveBack({ environment, day, messages }: Reservation): Promise<void> {
    if (messages > 0) await this.database.query(GIVE_BACK, [environment, day, messages]);
  }
}
