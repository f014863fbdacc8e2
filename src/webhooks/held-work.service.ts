import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { HELD_MAIL, MailEntity } from './entities/mail.entity';
import { WebhookDispatchEntity } from './entities/webhook-dispatch.entity';

/** Releases the work that a restore held back. */
@Injectable()
export class HeldWork {
  constructor(
    @InjectRepository(WebhookDispatchEntity) private readonly dispatches: Repository<WebhookDispatchEntity>,
  ) {}

  /** Makes the work due now: the sweep of a running gateway finds it within a second. A second call has no effect. */
  async resume(): Promise<{ deliveries: number; mails: number }> {
    const now = () => 'now()';
    const [dispatches, mails] = await this.dispatches.manager.transaction(async (manager) => [
      await manager.update(WebhookDispatchEntity, { state: 'held' }, { state: 'pending', nextAt: now }),
      await manager.update(MailEntity, { error: HELD_MAIL }, { error: null, nextAt: now }),
    ]);
    return { deliveries: dispatches.affected ?? 0, mails: mails.affected ?? 0 };
  }
}
