import { Injectable } from '@nestjs/common';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';
import { Adapters } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, PartRecord } from '../outbound/outbound-message';
import { BillingRecorder, isBilled } from './billing.service';

/** Plays the bills of the sandbox. */
@Injectable()
export class SendBilling {
  constructor(
    private readonly adapters: Adapters,
    private readonly billing: BillingRecorder,
  ) {}

  /** The sandbox has no callbacks. */
  isSimulated({ environment, platform }: OutboundMessage): boolean {
    return environment === 'test' && isBilled(platform);
  }

  /** Bills the parts that the sandbox took. Nothing waits for it. */
  simulate(message: OutboundMessage, parts: readonly PartRecord[]): void {
    const { environment, platform, id: message_id, recipient } = message;
    const participant_id = this.adapters.of(environment, platform).participantId(recipient);
    const receipt = { status: 'delivered', pricing: sandboxPricing(message) } as const;
    for (const { index: part_index } of parts)
      void this.billing.record(message, receipt, { message_id, part_index, participant_id }).catch(() => undefined);
  }
}

/** The sandbox bills templates as Meta bills most of them, and all else as free text. */
function sandboxPricing({ options }: OutboundMessage): Pricing {
  return { billable: true, category: options.template ? 'utility' : 'service', model: 'PMP' };
}
