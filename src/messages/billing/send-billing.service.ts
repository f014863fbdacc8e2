import { Injectable } from '@nestjs/common';
import { Batcher } from '../../core/work/batcher';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';
import { Adapters } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, PartRecord } from '../outbound/outbound-message';
import { BillingRecorder, isBilled, type PricedReceipt } from './billing.service';

/** Plays the bills of the sandbox. */
@Injectable()
export class SendBilling {
  /** Nothing waits for them, and most of them change the same row of the usage. */
  private readonly bills = new Batcher<PricedReceipt>((bills) => this.billing.record(bills), { size: 200 });

  constructor(
    private readonly adapters: Adapters,
    private readonly billing: BillingRecorder,
  ) {}

  /** The sandbox has no callbacks. */
  isSimulated({ environment, platform }: OutboundMessage): boolean {
    return environment === 'test' && isBilled(platform);
  }

  /** Bills the parts that the sandbox took. */
  simulate(message: OutboundMessage, parts: readonly PartRecord[]): void {
    const { environment, platform, id: message_id, recipient } = message;
    const participant_id = this.adapters.of(environment, platform).participantId(recipient);
    const told = { environment, platform, message_id, participant_id, pricing: sandboxPricing(message) };
    for (const { index: part_index } of parts) this.bills.push({ ...told, part_index, status: 'delivered' });
  }
}

/** The sandbox bills templates as Meta bills most of them, and all else as free text. */
function sandboxPricing({ options }: OutboundMessage): Pricing {
  return { billable: true, category: options.template ? 'utility' : 'service', model: 'PMP' };
}
