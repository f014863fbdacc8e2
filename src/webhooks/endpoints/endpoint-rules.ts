import { Not, type EntityManager } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { lockForTransaction } from '../../core/database/advisory-locks';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { parameterError } from '../../core/validation/request-faults';
import { WebhookEntity } from '../entities/webhook.entity';

/*
 * Each event goes to every subscribed webhook: without these rules, one request of a client could cause any number of posts to
 * one receiver. An advisory lock makes each decision wait for the one before it, so it must be the
 * first lock of its transaction.
 */

/** @throws ApiError RESOURCE_NOT_FOUND, INVALID_REQUEST */
export function mustBeActive(id: string, webhook: Pick<WebhookEntity, 'status'> | null | undefined): void {
  if (!webhook) throw ApiError.notFound('webhook', toPublicId('webhook', id));
  if (webhook.status === 'active') return;
  throw ApiError.malformed(`the webhook is ${webhook.status}; make it active again with {"enabled": true} first`);
}

/** @throws ApiError INVALID_PARAMETER, INVALID_REQUEST */
export async function admitNew(
  transaction: EntityManager,
  { environment, url }: Pick<WebhookEntity, 'environment' | 'url'>,
  limit: number,
): Promise<void> {
  await lockForTransaction(transaction, 'webhooks');
  await mustBeFree(transaction, url, { environment });
  if ((await transaction.countBy(WebhookEntity, { environment })) < limit) return;
  const reason = `the setting webhooks.max_endpoints allows at most ${limit} webhooks`;
  throw new ApiError('INVALID_REQUEST', { reason, limit }, `The request is malformed: ${reason}.`);
}

/** @throws ApiError INVALID_PARAMETER */
export async function admitUrl(
  transaction: EntityManager,
  { id, environment }: Pick<WebhookEntity, 'id' | 'environment'>,
  url: string,
): Promise<void> {
  await lockForTransaction(transaction, 'webhooks');
  const current = await transaction.findOne(WebhookEntity, { where: { id, environment }, select: { url: true } });
  // Duplicates from before this rule may stay: a change that keeps the URL creates no new one.
  if (!current || isSame(current.url, url)) return;
  await mustBeFree(transaction, url, { environment, id: Not(id) });
}

async function mustBeFree(
  transaction: EntityManager,
  url: string,
  others: { environment: Environment; id?: ReturnType<typeof Not<string>> },
): Promise<void> {
  const webhooks = await transaction.find(WebhookEntity, { where: others, select: { id: true, url: true } });
  if (!webhooks.some((webhook) => isSame(webhook.url, url))) return;
  throw parameterError([{ parameter: 'url', reason: 'is registered already', value: url }]);
}

/** A receiver sees no fragment (RFC 9110, 4.2.5): URLs that differ only by it lead to the same receiver. */
function isSame(one: string, other: string): boolean {
  return withoutFragment(one) === withoutFragment(other);
}

function withoutFragment(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
