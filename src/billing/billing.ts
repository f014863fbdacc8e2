import type { PlatformPricesDto } from '../core/settings/platform-prices.dto';
import type { Pricing, Receipt } from '../integrations/inbound/inbound-handler.port';

export interface PartBilling extends Omit<Pricing, 'category'> {
  /** Null: the part failed before a status reported its price. */
  category: string | null;
  /** Rank of the status that reported it (`RANKS`). */
  rank: number;
  /** Calling code with `+`; empty where it is not known. */
  country: string;
  /** Null: the settings have no price for it. */
  cost_usd: number | null;
}

export interface Billing {
  billable: boolean;
  category: string;
  model: string | null;
  cost_usd: number | null;
  estimated: boolean;
}

const RANKS: Readonly<Record<Receipt['status'], number>> = { sent: 1, delivered: 2, read: 3, failed: 4 };
/** From this rank on, the billing is final: platforms bill what they deliver. */
export const CERTAIN = RANKS.delivered;
/** Decimal places of US dollars in the database. */
const COST_DIGITS = 8;

/** Calling codes of one and two digits; all others have three: https://www.itu.int/pub/T-SP-E.164D */
const CALLING_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** @param participantId WhatsApp's: a number without `+`; any other id has no country */
export function countryOf(participantId: string): string {
  const code = /^\d{7,15}$/.test(participantId) ? CALLING_CODE.exec(participantId)?.[0] : undefined;
  return code === undefined ? '' : `+${code}`;
}

/**
 * The billing of a part according to one status. A failed part is not billed, even if its status has a price.
 * @returns undefined for any other status without a price
 */
export function partBilling(
  pricing: Pricing | undefined,
  status: Receipt['status'],
  participantId: string,
  prices: Readonly<Record<string, PlatformPricesDto>>,
): PartBilling | undefined {
  const told = { rank: RANKS[status], country: countryOf(participantId) };
  const { category = null, model = null } = pricing ?? {};
  if (status === 'failed') return { billable: false, category, model, ...told, cost_usd: 0 };
  if (!pricing) return undefined;
  const cost_usd = pricing.billable ? priceOf(prices, participantId, pricing.category) : 0;
  return { billable: pricing.billable, category, model, ...told, cost_usd };
}

/** The price of the longest prefix that matches. */
function priceOf(
  prices: Readonly<Record<string, PlatformPricesDto>>,
  participantId: string,
  category: string,
): number | null {
  const number = `+${participantId}`;
  const prefixes = Object.keys(prices).filter((prefix) => number.startsWith(prefix));
  const longest = prefixes.toSorted((one, other) => other.length - one.length)[0];
  const price = longest === undefined ? undefined : prices[longest];
  return price && Object.hasOwn(price, category) ? (price[category as keyof PlatformPricesDto] ?? null) : null;
}

/** Sums up the parts of a message. @returns null until a part has a price */
export function billingOf(told: readonly PartBilling[] | null): Billing | null {
  const parts = (told ?? []).filter(isPriced);
  const [first] = parts;
  if (!first) return null;
  const { category, model } = parts.find(({ billable }) => billable) ?? first;
  const hasCost = parts.every(({ cost_usd }) => cost_usd !== null);
  const total = parts.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
  return {
    billable: parts.some(({ billable }) => billable),
    category,
    model,
    cost_usd: hasCost ? Number(total.toFixed(COST_DIGITS)) : null,
    estimated: parts.some(({ rank }) => rank < CERTAIN),
  };
}

function isPriced(part: PartBilling): part is PartBilling & { category: string } {
  return part.category !== null;
}
