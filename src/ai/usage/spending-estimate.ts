import type { ModelPricesDto } from '../../core/settings/settings.dto';
import type { AiRequest, AiTokens } from '../provider/ai-provider.port';
import { mostTokens } from '../provider/tokens';
import { costUsd, LIST_PRICES, pricesOf, type Prices } from '../provider/prices';
import { nanosOf } from '../../core/nanodollars';

type Overrides = Readonly<Record<string, ModelPricesDto>>;

/**
 * The prices at which a request counts towards a budget: those of its model and its fallbacks. If one of them has no known
 * price, all known prices are used: the highest counts.
 */
export function pricesFor({ model, fallbackModels = [] }: AiRequest, overrides: Overrides): readonly Prices[] {
  const tables = [model, ...fallbackModels].map((name) => pricesOf(name, overrides));
  return tables.every((table) => table !== undefined) ? tables : knownPrices(overrides);
}

/** The most that one attempt can cost. */
export function mostNanos(request: AiRequest, tables: readonly Prices[]): number {
  const { input, output } = mostTokens(request);
  return nanosOf(Math.max(...tables.map((table) => dearestUsd(input, output, table)), 0));
}

/** The prices that a model's tokens count at. `tables`: see {@link pricesFor} */
export function countedNanos(model: string, tokens: AiTokens, tables: readonly Prices[], overrides: Overrides): number {
  const known = pricesOf(model, overrides);
  const costs = (known ? [known] : tables).map((table) => costUsd(tokens, table));
  return nanosOf(Math.max(...costs, 0));
}

function knownPrices(overrides: Overrides): Prices[] {
  const models = new Set([...Object.keys(LIST_PRICES), ...Object.keys(overrides)]);
  return [...models].flatMap((model) => pricesOf(model, overrides) ?? []);
}

/** The highest cost of these tokens: the provider decides which of them it reads from its cache or writes there. */
function dearestUsd(input: number, output: number, table: Prices): number {
  const kinds = ['input', 'cacheRead', 'cacheWrite'] as const;
  const nothing: AiTokens = { input: 0, output, cacheRead: 0, cacheWrite: 0 };
  return Math.max(...kinds.map((kind) => costUsd({ ...nothing, [kind]: input }, table)));
}
