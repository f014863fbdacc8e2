import { ApiError } from './api-error';

export interface SortField {
  column: string;
  descending: boolean;
}

/**
 * Reads `sort=field,-other`. Ties break by id, in the direction of the first field, so that pages never overlap.
 * @param columns field → SQL column: the whitelist
 * @throws ApiError INVALID_PARAMETER for an unknown or repeated field
 */
export function parseSort(sort: string, columns: Readonly<Record<string, string>>): SortField[] {
  const fields = sort.split(',').map((text) => {
    const descending = text.startsWith('-');
    const name = descending ? text.slice(1) : text;
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (column === undefined) {
      throw ApiError.invalidParameter('sort', `must name fields of ${Object.keys(columns).join(', ')}`, sort);
    }
    return { column, descending };
  });
  if (new Set(fields.map(({ column }) => column)).size < fields.length) {
    throw ApiError.invalidParameter('sort', 'must name each field once', sort);
  }
  return [...fields, { column: 'id', descending: fields[0]!.descending }];
}

export function orderBy(fields: readonly SortField[]): string {
  return fields.map(({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');
}
