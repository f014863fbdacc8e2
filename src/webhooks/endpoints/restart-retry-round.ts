import type { EntityManager } from 'typeorm';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';

/**
 * Has the waiting dispatches of a webhook begin a new round. An attempt that is under way then decides nothing any more,
 * and is made again: as the last of its round it would fail the webhook at once. Locked in the order of `inLockOrder`.
 */
export async function restartRetryRound(transaction: EntityManager, webhookId: string): Promise<void> {
  const dispatches = transaction.getRepository(WebhookDispatchEntity);
  const waiting = dispatches
    .createQueryBuilder('waiting')
    .select('waiting.eventId')
    .where('waiting.webhookId = :webhookId AND waiting.nextAt IS NOT NULL', { webhookId })
    .orderBy('waiting.eventId')
    .setLock('pessimistic_write');
  await dispatches
    .createQueryBuilder()
    .update({ retries: 0, leaseUntil: null, fence: () => 'fence + 1' })
    .where(`webhookId = :webhookId AND eventId = ANY (ARRAY(${waiting.getQuery()}))`, { webhookId })
    .execute();
}
