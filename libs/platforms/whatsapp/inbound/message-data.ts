import type { MessageData } from '#contracts';
import { fieldsOf, type Fields, idText, list, type NotifiedMessage, text } from './notification';

type Order = NonNullable<MessageData['order']>;

/** Longest id and longest words that are kept, in UTF-16 code units. */
const LONGEST_ID = 100;
const LONGEST_WORDS = 1_000;
/** Items that fit into 16 KiB; the words and the total have the others too. */
const MOST_ITEMS = 80;
/** Items that are read: a cart has fewer. */
const MOST_READ = 1_000;

/** The structure of a message beside its words: an order, the ad that led to it, the product that it is about. */
export function dataOf(message: NotifiedMessage): MessageData | undefined {
  const [order, referral, product] = [orderOf(message), referralOf(message), productOf(message)];
  if (!order && !referral && !product) return undefined;
  return { ...(order && { order }), ...(referral && { referral }), ...(product && { product }) };
}

/** `2 x SKU-9 at 12.5 EUR, total 25 EUR; catalog 77`, and the words of the person in a line of their own. */
export function orderWords(order: Fields): string {
  const { catalog_id: catalog, items, total } = readOrder(order);
  const lines = items.map(({ product_id: product, quantity, price, currency }) =>
    [quantity === null ? '' : `${quantity} x `, product, price === null ? '' : ` at ${money(price, currency)}`].join(
      '',
    ),
  );
  const sum = total === null ? [] : [`total ${money(total, items[0]?.currency ?? null)}`];
  const words = [[...lines, ...sum].join(', '), catalog === null ? '' : `catalog ${catalog}`]
    .filter(Boolean)
    .join('; ');
  return [words, text(order['text'])].filter(Boolean).join('\n');
}

/** Lines about the ad or product of a message, for a reader who sees only its words. */
export function backgroundOf(message: NotifiedMessage): string[] {
  const [referral, product] = [referralOf(message), productOf(message)];
  const ad = [referral?.headline, referral?.source_url].filter(Boolean).join(', ');
  return [
    ...(referral && ad !== '' ? [`[from ${referral.source_type === 'post' ? 'a post' : 'an ad'}: ${ad}]`] : []),
    ...(product?.product_id ? [`[about the product ${product.product_id}]`] : []),
  ];
}

function orderOf(message: NotifiedMessage): Order | undefined {
  if (typeof message['order'] !== 'object' || message['order'] === null) return undefined;
  const order = readOrder(fieldsOf(message['order']));
  return { ...order, items: order.items.slice(0, MOST_ITEMS) };
}

function readOrder({ catalog_id: catalog, product_items: products }: Fields): Order {
  const all = list(products);
  const items = all.slice(0, MOST_READ).map(({ product_retailer_id: id, quantity, item_price: price, currency }) => ({
    product_id: cut(id, LONGEST_ID) ?? 'unknown product',
    quantity: numberOf(quantity),
    price: numberOf(price),
    currency: cut(currency, 10),
  }));
  return { catalog_id: cut(catalog, LONGEST_ID), items, total: all.length > MOST_READ ? null : totalOf(items) };
}

function totalOf(items: Order['items']): number | null {
  if (items.length === 0 || items.some(({ currency }) => currency !== items[0]?.currency)) return null;
  let sum = 0;
  for (const { quantity, price } of items) {
    if (quantity === null || price === null) return null;
    sum += quantity * price;
  }
  // Fractions of an amount have at most four digits: https://www.iso.org/iso-4217-currency-codes.html
  return Number(sum.toFixed(4));
}

function money(amount: number, currency: string | null): string {
  return currency === null ? String(amount) : `${amount} ${currency}`;
}

function referralOf({ referral }: NotifiedMessage): MessageData['referral'] {
  const { source_url, source_type, source_id, headline, body, ctwa_clid } = fieldsOf(referral);
  const found = {
    source_url: cut(source_url, LONGEST_WORDS),
    source_type: cut(source_type, LONGEST_ID),
    source_id: cut(source_id, LONGEST_ID),
    headline: cut(headline, LONGEST_WORDS),
    body: cut(body, LONGEST_WORDS),
    click_id: cut(ctwa_clid, LONGEST_WORDS),
  };
  return Object.values(found).some((value) => value !== null) ? found : undefined;
}

function productOf({ context }: NotifiedMessage): MessageData['product'] {
  const { catalog_id: catalog, product_retailer_id: product } = fieldsOf(fieldsOf(context)['referred_product']);
  const found = { catalog_id: cut(catalog, LONGEST_ID), product_id: cut(product, LONGEST_ID) };
  return (found.catalog_id ?? found.product_id) ? found : undefined;
}

function cut(value: unknown, longest: number): string | null {
  return idText(value)?.slice(0, longest).toWellFormed() ?? null;
}

/** Meta's examples have numbers and texts. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
