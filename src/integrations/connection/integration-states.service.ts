import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { IntegrationStatus, Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { repeat } from '../../core/clock/repeat';
import { within } from '../../core/clock/within';
import { DatabaseListener } from '../../core/database/database-listener.service';
import { IntegrationStore, type IntegrationRow } from './integration-store.service';
import { CONNECTING, INTEGRATIONS_CHANGED } from './integration.rows';

/** How often the rows are read while any platform is held, in milliseconds: renewals of leases are not announced. */
const REFRESH_MS = 2_000;
/** How long a send waits for the next holder during a handover, in milliseconds. */
const HANDOVER_TIMEOUT_MS = 5_000;
/** A handover that takes longer is an outage, in milliseconds. */
const HANDOVER_MS = 15_000;

/** A live platform as seen from any instance. */
export interface PlatformState {
  status: IntegrationStatus;
  reason: string | null;
  details: Readonly<Record<string, string>>;
  connectedAt: Date | null;
}

/** Every live platform's state, in memory: read again on each announcement, and every two seconds while any is held. */
@Injectable()
export class IntegrationStates implements OnModuleInit, OnApplicationShutdown {
  private rows = new Map<Platform, IntegrationRow>();
  private endRefresh?: () => void;
  private asked = 0;
  private applied = 0;
  private refreshed = Promise.withResolvers<void>();

  constructor(
    private readonly store: IntegrationStore,
    private readonly listener: DatabaseListener,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const refresh = () => void this.refresh();
    this.listener.follow(INTEGRATIONS_CHANGED, refresh);
    const isAnyHeld = () => [...this.rows.values()].some(({ holder }) => holder !== null);
    this.endRefresh = repeat(REFRESH_MS, () => isAnyHeld() && refresh());
    await this.refresh();
  }

  /** Stops in this last hook because requests still arrive while earlier ones are answered. */
  onApplicationShutdown(): void {
    this.endRefresh?.();
  }

  of(platform: Platform): PlatformState {
    const row = this.rows.get(platform);
    if (!row) return { status: 'reconnecting', reason: CONNECTING, details: {}, connectedAt: null };
    const { status, reason, details, connected_at: connectedAt } = row;
    const common = { details, connectedAt };
    // The lease has expired, so nothing proves the stored status any more.
    if (status === 'connected' && !this.isHeld(row)) {
      return { ...common, status: 'reconnecting', reason: 'no instance holds the connection' };
    }
    return { ...common, status, reason };
  }

  /** Keeps the last known state while the database is unavailable. */
  async refresh(): Promise<void> {
    const turn = ++this.asked;
    try {
      const rows = await this.store.all();
      // Queries use several connections, so an older answer may arrive after a newer one.
      if (turn < this.applied) return;
      this.applied = turn;
      this.rows = new Map(rows.map((row) => [row.platform, row]));
      this.refreshed.resolve();
      this.refreshed = Promise.withResolvers();
    } catch {
      // the next refresh is two seconds away
    }
  }

  /**
   * During a handover of a connected platform, resolves when the next holder has connected or failed, at the latest
   * after five seconds. Otherwise resolves at once.
   */
  async handedOver(platform: Platform): Promise<void> {
    const deadline = performance.now() + HANDOVER_TIMEOUT_MS;
    while (this.isHandedOver(platform) && performance.now() < deadline)
      await within(deadline - performance.now(), this.refreshed.promise).catch(() => undefined);
  }

  private isHandedOver(platform: Platform): boolean {
    const row = this.rows.get(platform);
    if (!row?.handed_over_at || this.clock.now() - row.handed_over_at.getTime() > HANDOVER_MS) return false;
    // No instance holds the platform yet, or the next holder makes its first attempt.
    return (row.status === 'connected' && !this.isHeld(row)) || row.reason === CONNECTING;
  }

  private isHeld({ lease_until: until }: IntegrationRow): boolean {
    return until !== null && until.getTime() + REFRESH_MS > this.clock.now();
  }
}
