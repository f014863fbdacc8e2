import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { HELD_MAIL, type HeldWorkCount } from '../core/work/monitor/held-work';
import { MailEntity } from './entities/mail.entity';
import { WebhookDispatchEntity } from './entities/webhook-dispatch.entity';

/** In a restored database: receivers may already have these events. They wait for the operator. */
export const HOLD_DISPATCHES = `
  UPDATE webhook_dispatches SET state = 'held', next_at = NULL, lease_until = NULL, fence = fence + 1
  WHERE next_at IS NOT NULL`;

export const HOLD_MAIL = `
  UPDATE mail_outbox SET error = '${HELD_MAIL}', next_at = NULL, lease_until = NULL, fence = fence + 1
  WHERE next_at IS NOT NULL`;

/** Lets go what a restore has held. */
@Injectable()
export class HeldWork {
  constructor(
    @InjectRepository(WebhookDispatchEntity) private readonly dispatches: Repository<WebhookDispatchEntity>,
  ) {}

  /** Makes it due now: the sweep of a running gateway finds it within a second. A second call finds nothing. */
  async resume(): Promise<HeldWorkCount> {
    const now = () => 'now()';
    const [dispatches, mails] = await this.dispatches.manager.transaction(async (manager) => [
      await manager.update(WebhookDispatchEntity, { state: 'held' }, { state: 'pending', nextAt: now }),
      await manager.update(MailEntity, { error: HELD_MAIL }, { error: null, nextAt: now }),
    ]);
    return { deliveries: dispatches.affected ?? 0, mails: mails.affected ?? 0 };
  }
}
