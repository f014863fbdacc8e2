import { Injectable, Logger } from '@nestjs/common';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';
import { Adapters } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, PartRecord } from './outbound-message';
import { BillingRecorder, isBilled } from '../../billing/billing.service';

/** Simulates the platform's billing in the sandbox. */
@Injectable()
export class SandboxBilling {
  private readonly logger = new Logger(SandboxBilling.name);

  constructor(
    private readonly adapters: Adapters,
    private readonly billing: BillingRecorder,
  ) {}

  /** The sandbox has no callbacks that would report prices: it plays them for the messages whose sender asks for it. */
  isSimulated({ environment, platform, options }: OutboundMessage): boolean {
    return environment === 'test' && isBilled(platform) && options.sandbox_billed === true;
  }

  /** Bills the parts that the sandbox accepted. The sender does not wait for it. */
  simulate(message: OutboundMessage, parts: readonly PartRecord[]): void {
    const { environment, platform, id: message_id, recipient } = message;
    const participant_id = this.adapters.of(message).participantId(recipient);
    const bill = { environment, platform, message_id, participant_id, pricing: sandboxPricing(message) };
    const bills = parts.map(({ index: part_index }) => ({ ...bill, part_index, status: 'delivered' as const }));
    this.billing
      .record(bills)
      .catch((err: unknown) => this.logger.warn({ err }, 'The bills of a sandbox message could not be stored'));
  }
}

/** The sandbox bills templates as `utility`, as Meta bills most of them, and all other messages as `service`. */
function sandboxPricing({ options }: OutboundMessage): Pricing {
  return { billable: true, category: options.template ? 'utility' : 'service', model: 'PMP' };
}
