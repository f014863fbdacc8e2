import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { SettingsService } from '../../core/settings/settings.service';
import type { AiRequest, AiTokens } from '../provider/ai-provider.port';
import type { Prices } from '../provider/prices';
import { Budgets, type Payers } from './budgets.service';
import type { Reservation } from './reservation';
import { countedNanos, mostNanos, pricesFor } from './spending-estimate';

interface Charged {
  reservation: Reservation;
  tables: readonly Prices[];
}

/** Reservations and charges of the calls under way. */
@Injectable()
export class CallCharges {
  private readonly calls = new WeakMap<AiRequest, Charged>();

  constructor(
    private readonly budgets: Budgets,
    private readonly settings: SettingsService,
  ) {}

  /** @throws BudgetSpentError */
  async reserve(environment: Environment, payers: Payers, request: AiRequest): Promise<void> {
    const tables = pricesFor(request, this.settings.of(environment).ai.prices);
    const reservation = await this.budgets.reserve(environment, payers, mostNanos(request, tables));
    this.calls.set(request, { reservation, tables });
  }

  /** The model used tokens for the request, in an attempt that failed or answered. */
  charge(environment: Environment, request: AiRequest, model: string, tokens: AiTokens): void {
    const call = this.calls.get(request);
    if (!call) return;
    const { reservation, tables } = call;
    const counted = countedNanos(model, tokens, tables, this.settings.of(environment).ai.prices);
    reservation.charge(tokens.isIncomplete ? Math.max(counted, reservation.remaining) : counted);
  }

  /** @throws BudgetSpentError */
  async renew(request: AiRequest): Promise<void> {
    await this.calls.get(request)?.reservation.renew();
  }

  /** Whether what the call costs is held in the database, whatever becomes of its bill. */
  isHeld(request: AiRequest): boolean {
    return this.calls.get(request)?.reservation.isHeld ?? false;
  }

  /** The call is over. */
  end(request: AiRequest): void {
    this.calls.get(request)?.reservation.end();
  }
}
