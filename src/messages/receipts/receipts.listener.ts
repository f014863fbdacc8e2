import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { Adapters } from '../../integrations/platforms/adapters.service';
import { Receipts } from './receipts.service';

/** Applies receipts that arrived before the record of their send. */
@Injectable()
export class ReceiptsListener {
  constructor(
    private readonly receipts: Receipts,
    private readonly adapters: Adapters,
  ) {}

  @OnDomainEvent('message.sent')
  async onSent({ environment, data }: DomainEvent<'message.sent'>): Promise<void> {
    const { confirmation } = this.adapters.of(environment, data.platform).capabilities;
    const id = fromPublicId('message', data.message_id);
    if (confirmation === 'device' && id !== undefined) await this.receipts.catchUp(id);
  }
}
