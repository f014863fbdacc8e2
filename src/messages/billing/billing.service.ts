import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Environment, Platform } from '#contracts';
import { Database } from '../../core/database/database.service';
import { SettingsService } from '../../core/settings/settings.service';
import { Batcher } from '../../core/work/batcher';
import type { Receipt } from '../../integrations/inbound/inbound-handler.port';
import { partBilling } from './billing';
import { BILL, type BilledPart } from './billing.rows';

/** A part, and whom its message is to. */
export interface PricedPart {
  message_id: string;
  part_index: number;
  participant_id: string;
}

/** Where a part was sent. */
interface Exchange {
  environment: Environment;
  platform: Platform;
}

/** Records what platforms bill. */
@Injectable()
export class BillingRecorder {
  /** Statuses come at three times the rate of sends, and most of them change the same row of the usage. */
  private readonly parts = new Batcher<BilledPart>((parts) => this.write(parts), { size: 200 });

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  /** Resolves once it is durable. It does nothing for a status without a price, unless the part failed. */
  async record(exchange: Exchange, receipt: Pick<Receipt, 'status' | 'pricing'>, part: PricedPart): Promise<void> {
    const billed = this.billed(exchange, receipt, part);
    if (billed) await this.parts.add(billed);
  }

  /** The same in a transaction. */
  async recordIn(
    client: PoolClient,
    exchange: Exchange,
    receipts: readonly (Pick<Receipt, 'status' | 'pricing'> & PricedPart)[],
  ): Promise<void> {
    const billed = receipts.flatMap((receipt) => this.billed(exchange, receipt, receipt) ?? []);
    if (billed.length > 0) await this.write(billed, client);
  }

  private billed(
    { environment, platform }: Exchange,
    { status, pricing }: Pick<Receipt, 'status' | 'pricing'>,
    { message_id, part_index, participant_id }: PricedPart,
  ): BilledPart | undefined {
    if (!isBilled(platform)) return undefined;
    const { platform_prices: prices } = this.settings.of(environment);
    const billing = partBilling(pricing, status, participant_id, prices);
    return billing && { message_id, part_index, billing };
  }

  private async write(parts: readonly BilledPart[], client?: PoolClient): Promise<void> {
    await this.database.query(BILL, [JSON.stringify(parts)], client);
  }
}

/** Whether a platform bills messages. */
export function isBilled(platform: Platform): boolean {
  return platform === 'whatsapp';
}
