import { Injectable } from '@nestjs/common';
import { Batcher } from '../../core/work/batcher';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';
import { Adapters } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, PartRecord } from './outbound-message';
import { BillingRecorder, isBilled, type PricedReceipt } from '../../billing/billing.service';

/** Simulates the platform's billing in the sandbox. */
@Injectable()
export class SandboxBilling {
  /** In batches: most bills change the same row of the usage, and no caller waits for them. */
  private readonly bills = new Batcher<PricedReceipt>((bills) => this.billing.record(bills), { size: 200 });

  constructor(
    private readonly adapters: Adapters,
    private readonly billing: BillingRecorder,
  ) {}

  /** The sandbox has no callbacks that would report prices: it plays them for the messages whose sender asks for it. */
  isSimulated({ environment, platform, options }: OutboundMessage): boolean {
    return environment === 'test' && isBilled(platform) && options.sandbox_billed === true;
  }

  /** Bills the parts that the sandbox accepted. */
  simulate(message: OutboundMessage, parts: readonly PartRecord[]): void {
    const { environment, platform, id: message_id, recipient } = message;
    const participant_id = this.adapters.of(message).participantId(recipient);
    const told = { environment, platform, message_id, participant_id, pricing: sandboxPricing(message) };
    for (const { index: part_index } of parts) this.bills.push({ ...told, part_index, status: 'delivered' });
  }
}

/** The sandbox bills templates as `utility`, as Meta bills most of them, and all other messages as `service`. */
function sandboxPricing({ options }: OutboundMessage): Pricing {
  return { billable: true, category: options.template ? 'utility' : 'service', model: 'PMP' };
}
