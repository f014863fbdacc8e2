import type { EntityManager } from 'typeorm';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';

/**
 * Begins a new round for the waiting dispatches of a webhook. An attempt that is under way then no longer counts and is made
 * again: as the last attempt of its round it would fail the webhook at once. Locked in the order of `inLockOrder`.
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
