import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { IntegrationStatus } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { repeat } from '../../core/clock/repeat';
import { within } from '../../core/clock/within';
import { DatabaseListener } from '../../core/database/database-listener.service';
import { IntegrationStore, type ConnectionKey, type IntegrationRow } from './integration-store.service';
import { CONNECTING, INTEGRATIONS_CHANGED } from './integration.rows';

/** How often the rows are read while any platform is held, in milliseconds: renewals of leases are not announced. */
const REFRESH_MS = 2_000;
/** How long a send waits for the next holder during a handover, in milliseconds. */
const HANDOVER_TIMEOUT_MS = 5_000;
/** A handover that takes longer is an outage, in milliseconds. */
const HANDOVER_MS = 15_000;

/** A live account as seen from any instance. */
export interface PlatformState {
  status: IntegrationStatus;
  reason: string | null;
  details: Readonly<Record<string, string>>;
  connectedAt: Date | null;
}

/** Every live account's state, in memory: read again on each announcement, and every two seconds while any is held. */
@Injectable()
export class IntegrationStates implements OnModuleInit, OnApplicationShutdown {
  private rows = new Map<string, IntegrationRow>();
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

  of(at: ConnectionKey): PlatformState {
    const row = this.rows.get(keyOf(at));
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
      this.rows = new Map(rows.map((row) => [keyOf(row), row]));
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
  async handedOver(at: ConnectionKey): Promise<void> {
    const deadline = performance.now() + HANDOVER_TIMEOUT_MS;
    while (this.isHandedOver(at) && performance.now() < deadline)
      await within(deadline - performance.now(), this.refreshed.promise).catch(() => undefined);
  }

  private isHandedOver(at: ConnectionKey): boolean {
    const row = this.rows.get(keyOf(at));
    if (!row?.handed_over_at || this.clock.now() - row.handed_over_at.getTime() > HANDOVER_MS) return false;
    // No instance holds the platform yet, or the next holder makes its first attempt.
    return (row.status === 'connected' && !this.isHeld(row)) || row.reason === CONNECTING;
  }

  private isHeld({ lease_until: until }: IntegrationRow): boolean {
    return until !== null && until.getTime() + REFRESH_MS > this.clock.now();
  }
}

function keyOf({ platform, account }: ConnectionKey): string {
  return `${platform} ${account}`;
}
