import { UnreadableError } from '../../fault-words';
import type { InboundMessage, Pricing, Receipt } from '../../platform.port';
import { laterRefusalOf } from '../outbound/send-outcomes';
import { fieldsOf, type Fields, idText, list, text, timeOf, wordOf } from './notification';
import { type People, phoneOf } from './people';

const STATUSES: Readonly<Record<string, Receipt['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // A voice message that was listened to.
  played: 'read',
  failed: 'failed',
};

/** Undefined for a status that is not about the delivery. @throws when it makes no sense */
export function readStatus({
  id,
  status,
  timestamp,
  errors,
  pricing: given,
  conversation,
}: Fields): Receipt | undefined {
  const known = Object.hasOwn(STATUSES, String(status)) ? STATUSES[String(status)] : undefined;
  if (known === undefined) return undefined;
  const platformMessageId = idText(id);
  if (platformMessageId === undefined) throw new UnreadableError('it has no id');
  // Some statuses of groups have the price within the conversation.
  const pricing = pricingOf(given ?? fieldsOf(conversation)['pricing']);
  const at = timeOf(timestamp) ?? new Date();
  const receipt = { platformMessageId, status: known, at, ...(pricing && { pricing }) };
  if (known !== 'failed') return receipt;
  const { failure, concernsAccount } = laterRefusalOf(list(errors)[0]);
  return { ...receipt, failure, ...(concernsAccount && { concernsAccount }) };
}

/** The longest category and model of a price that are kept, in UTF-16 code units. */
const LONGEST_WORD = 50;
/** Categories that were free before prices had a type: conversations that the person began, or that an ad led to. */
const FREE: ReadonlySet<unknown> = new Set(['service', 'referral_conversion']);

/**
 * "The billable property will be deprecated": without it, the type tells, and before there were types, the category.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing
 */
function pricingOf(given: unknown): Pricing | undefined {
  const { billable: told, type, category, pricing_model: model } = fieldsOf(given);
  const word = text(category)?.slice(0, LONGEST_WORD);
  const billable = told ?? (type === undefined ? !FREE.has(category) : type === 'regular');
  if (typeof billable !== 'boolean' || word === undefined) return undefined;
  return { billable, category: word, model: text(model)?.slice(0, LONGEST_WORD) ?? null };
}

/** Whether a status is about a payment, whose words (`failed`) say nothing about the delivery. */
export function isPayment({ type }: Fields): boolean {
  return type === 'payment';
}

/**
 * A payment for an order that we sent: https://developers.facebook.com/documentation/business-messaging/whatsapp/payments/payments-in/pg
 * @throws when it makes no sense
 */
export function paymentOf({ id, status, payment, recipient_id, timestamp }: Fields, people: People): InboundMessage {
  const [order, number] = [idText(id), idText(recipient_id)];
  const participantId = people.idOf({ phone: number === undefined ? undefined : phoneOf(number) });
  if (order === undefined || participantId === undefined) throw new UnreadableError('it has no id or no person');
  const { reference_id: reference, amount, currency, transaction } = fieldsOf(payment);
  const { value, offset } = fieldsOf(amount);
  const sum = Number(value) / Number(offset ?? 1);
  const person = { id: participantId, name: null, username: null };
  const words = [
    `[payment] ${wordOf(status)}`,
    Number.isFinite(sum) && `${sum} ${text(currency) ?? ''}`.trim(),
    idText(reference) && `for ${idText(reference)}`,
  ];
  const isShort = JSON.stringify(payment ?? null).length <= LARGEST_PAYMENT;
  return {
    platformMessageId: [order, 'payment', idText(fieldsOf(transaction)['id']), wordOf(status)]
      .filter(Boolean)
      .join(':'),
    participant: person,
    sender: person,
    kind: 'other',
    content: words.filter(Boolean).join(' '),
    data: { payment: { status: wordOf(status), ...(isShort && fieldsOf(payment)) } },
    replyTo: { platformMessageId: order },
    sentAt: timeOf(timestamp) ?? new Date(Number.NaN),
    opensWindow: false,
    expectsReply: false,
  };
}

/** In UTF-16 code units of JSON. */
const LARGEST_PAYMENT = 8_192;
