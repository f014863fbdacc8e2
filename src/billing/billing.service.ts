import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Environment, Platform } from '#contracts';
import { Database } from '../core/database/database.service';
import { SettingsService } from '../core/settings/settings.service';
import type { Pricing, Receipt } from '../integrations/inbound/inbound-handler.port';
import { partBilling } from './billing';
import { BILL, type BilledPart } from './billing.rows';

/** A part's status and price as a callback reported them, and the recipient of the message. */
export interface PricedReceipt {
  environment: Environment;
  platform: Platform;
  message_id: string;
  part_index: number;
  participant_id: string;
  status: Receipt['status'];
  pricing: Pricing | null;
}

/** Records what platforms bill. */
@Injectable()
export class BillingRecorder {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  /** Call it last in a transaction: it locks rows of the usage, which messages of many conversations share. */
  async record(receipts: readonly PricedReceipt[], client?: PoolClient): Promise<void> {
    const parts = receipts.flatMap((receipt) => this.billed(receipt) ?? []);
    if (parts.length > 0) await this.database.query(BILL, [JSON.stringify(parts)], client);
  }

  /** @returns undefined for a status without a price, unless the part failed */
  private billed(receipt: PricedReceipt): BilledPart | undefined {
    const { environment, platform, message_id, part_index, participant_id, status, pricing } = receipt;
    if (!isBilled(platform)) return undefined;
    const { platform_prices: prices } = this.settings.of(environment);
    const billing = partBilling(pricing ?? undefined, status, participant_id, prices);
    return billing && { message_id, part_index, billing };
  }
}

/** Whether a platform bills messages. */
export function isBilled(platform: Platform): boolean {
  return platform === 'whatsapp';
}
