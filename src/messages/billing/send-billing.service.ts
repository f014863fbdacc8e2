import { Injectable } from '@nestjs/common';
import type { SendFailure } from '#contracts';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';
import { Adapters } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, PartRecord } from '../outbound/outbound-message';
import { BillableLimit } from './billable-limit.service';
import { BillingRecorder, isBilled } from './billing.service';

/** Gives reserved messages back when a send fails, and plays the bills of the sandbox. */
@Injectable()
export class SendBilling {
  constructor(
    private readonly adapters: Adapters,
    private readonly billing: BillingRecorder,
    private readonly limit: BillableLimit,
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

  /**
   * The message failed: parts that did not go are not billed. A process that dies before this leaves them reserved for the rest
   * of the day.
   * @param accepted parts that the platform took
   */
  async giveBack({ environment, options }: OutboundMessage, accepted: number, { code }: SendFailure): Promise<void> {
    const { reserved } = options;
    if (!reserved || code === 'ambiguous') return;
    const rest = { environment, day: reserved.day, messages: reserved.messages - accepted };
    await this.limit.giveBack(rest).catch(() => undefined);
  }
}

/** The sandbox bills templates as Meta bills most of them, and all else as free text. */
function sandboxPricing({ options }: OutboundMessage): Pricing {
  return { billable: true, category: options.template ? 'utility' : 'service', model: 'PMP' };
}
