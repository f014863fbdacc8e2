import type { OrderByCondition } from 'typeorm';

export interface SortField {
  /** Column of the table, or property of the entity. */
  column: string;
  descending: boolean;
}

/**
 * The fault of a `sort`, if any: an unknown field.
 * @param columns field → SQL column, or property of the entity: the whitelist
 */
export function sortFault(sort: string, columns: Readonly<Record<string, string>>): string | undefined {
  const names = sort.split(',').map(nameOf);
  const isKnown = names.every((name) => Object.hasOwn(columns, name));
  return isKnown ? undefined : `must name fields of ${Object.keys(columns).join(', ')}`;
}

function nameOf(field: string): string {
  return field.startsWith('-') ? field.slice(1) : field;
}

/**
 * Parses `sort=field,-other`. A column that is named again, even under another name, has no effect. Ties break by id, in the
 * direction of the first field, so that pages never overlap.
 * @param sort valid: `SortBy` has checked it
 */
export function parseSort(sort: string, columns: Readonly<Record<string, string>>): SortField[] {
  const fields: SortField[] = [];
  for (const text of sort.split(',')) {
    const column = columns[nameOf(text)]!;
    if (!fields.some((field) => field.column === column)) fields.push({ column, descending: text.startsWith('-') });
  }
  return [...fields, { column: 'id', descending: fields[0]!.descending }];
}

export function orderBy(fields: readonly SortField[]): string {
  return fields.map(({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');
}

/**
 * The same for a query builder. Nulls come last, as PostgreSQL sorts them in ascending order.
 * @param alias of the entity that has the properties
 * @param isNullable whether a property may be null: only then the order says NULLS LAST, which an index in its usual order
 *   cannot serve
 */
export function orderOf(
  fields: readonly SortField[],
  alias: string,
  isNullable: (property: string) => boolean,
): OrderByCondition {
  const directionOf = ({ column, descending }: SortField) => {
    if (!descending) return 'ASC';
    return isNullable(column) ? ({ order: 'DESC', nulls: 'NULLS LAST' } as const) : 'DESC';
  };
  return Object.fromEntries(fields.map((field) => [`${alias}.${field.column}`, directionOf(field)]));
}
