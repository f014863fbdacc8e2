export type Prices = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

export interface PriceRow {
  name: string;
  /** An empty price is '': it is left out. */
  prices: Readonly<Record<string, number | string>>;
}

export function rowsOf(prices: Prices): PriceRow[] {
  return Object.entries(prices).map(([name, own]) => ({ name, prices: own }));
}

/** The setting that the rows mean. An untouched new row means nothing. */
export function pricesOf(rows: readonly PriceRow[]): Prices {
  const named = rows
    .map(({ name, prices }) => [name.trim(), withoutEmpty(prices)] as const)
    .filter(([name, prices]) => name !== '' || Object.keys(prices).length > 0);
  return Object.fromEntries(named);
}

function withoutEmpty(prices: PriceRow['prices']): PriceRow['prices'] {
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== ''));
}
