import type { ModelPricesDto } from '../../core/settings/settings.dto';
import type { AiTokens } from './ai-provider.port';
import { promptTokens } from './tokens';

type ModelPrices = Required<ModelPricesDto>;

/** USD per million tokens; `longPrompt` holds for every token of a request whose prompt is above the threshold. */
export interface Prices extends ModelPrices {
  longPrompt?: ModelPrices & { aboveTokens: number };
}

/** Cache writes are those of the five-minute cache, which the gateway uses. */
const prices = (input: number, output: number, cache_read: number, cache_write: number): ModelPrices => ({
  input,
  output,
  cache_read,
  cache_write,
});

/** List prices of November 2026: https://platform.claude.com/docs/en/about-claude/pricing */
export const LIST_PRICES: Readonly<Record<string, Prices>> = {
  'claude-fable-5-2': prices(8, 40, 0.2, 10),
  'claude-fable-5-1': prices(10, 50, 0.25, 12.5),
  'claude-mythos-5-1': prices(10, 50, 0.25, 12.5),
  'claude-fable-5': prices(10, 50, 1, 12.5),
  'claude-mythos-5': prices(10, 50, 1, 12.5),
  'claude-opus-5-5': prices(4, 20, 0.2, 5),
  'claude-opus-5': prices(5, 25, 0.5, 6.25),
  'claude-opus-4-8': prices(5, 25, 0.5, 6.25),
  'claude-opus-4-7': prices(5, 25, 0.5, 6.25),
  'claude-opus-4-6': prices(5, 25, 0.5, 6.25),
  'claude-opus-4-5': prices(5, 25, 0.5, 6.25),
  'claude-opus-4-1': prices(15, 75, 1.5, 18.75),
  'claude-opus-4': prices(15, 75, 1.5, 18.75),
  'claude-sonnet-5-5': prices(2, 10, 0.1, 2.5),
  'claude-sonnet-5': prices(2, 10, 0.2, 2.5),
  'claude-sonnet-4-6': prices(3, 15, 0.3, 3.75),
  'claude-sonnet-4-5': prices(3, 15, 0.3, 3.75),
  'claude-sonnet-4': prices(3, 15, 0.3, 3.75),
  'claude-haiku-5-5': {
    ...prices(0.1, 0.5, 0.01, 0.125),
    longPrompt: { aboveTokens: 100_000, ...prices(0.5, 2.5, 0.05, 0.625) },
  },
  'claude-haiku-4-5': prices(1, 5, 0.1, 1.25),
};

/**
 * A dated or `-latest` id has the price of its model; any other ending is another model (`claude-opus-5-5` is not an
 * `claude-opus-5`).
 * @param overrides the setting `ai.prices`; an entry applies to prompts of any length. One that an earlier version stored
 *   without `input` or `output` is no price
 */
export function pricesOf(model: string, overrides: Readonly<Record<string, ModelPricesDto>> = {}): Prices | undefined {
  const {
    input,
    output,
    cache_read = input,
    cache_write = input,
  }: Partial<ModelPricesDto> = overrides[entryOf(overrides, model) ?? ''] ?? {};
  if (input === undefined || output === undefined) return LIST_PRICES[entryOf(LIST_PRICES, model) ?? ''];
  return prices(input, output, cache_read!, cache_write!);
}

/** The name under which a model has a price; undefined if it has none. */
export function pricedName(model: string, overrides: Readonly<Record<string, ModelPricesDto>>): string | undefined {
  return entryOf(LIST_PRICES, model) ?? entryOf(overrides, model);
}

function entryOf(table: object, model: string): string | undefined {
  const name = model.replace(/(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-0)$/, '');
  return [model, name].find((key) => Object.hasOwn(table, key));
}

/** @param table {@link pricesOf} the model; undefined: its prices are unknown, and it counts as free */
export function costUsd(tokens: AiTokens, table: Prices | undefined): number {
  if (!table) return 0;
  const price = table.longPrompt && promptTokens(tokens) > table.longPrompt.aboveTokens ? table.longPrompt : table;
  const perMillion =
    tokens.input * price.input +
    tokens.output * price.output +
    tokens.cacheRead * price.cache_read +
    tokens.cacheWrite * price.cache_write;
  return perMillion / 1_000_000;
}
