import { ApiError } from './api-error';

export interface SortField {
  column: string;
  descending: boolean;
}

/** Why a `sort` is not acceptable, if it is not: an unknown field, or one named twice. */
export function sortFault(sort: string, fields: readonly string[]): string | undefined {
  const names = sort.split(',').map(nameOf);
  if (!names.every((name) => fields.includes(name))) return `must name fields of ${fields.join(', ')}`;
  return new Set(names).size < names.length ? 'must name each field once' : undefined;
}

function nameOf(field: string): string {
  return field.startsWith('-') ? field.slice(1) : field;
}

/**
 * Reads `sort=field,-other`. Ties break by id, in the direction of the first field, so that pages never overlap.
 * @param columns field → SQL column: the whitelist
 * @throws ApiError INVALID_PARAMETER for an unknown or repeated field
 */
export function parseSort(sort: string, columns: Readonly<Record<string, string>>): SortField[] {
  const fault = sortFault(sort, Object.keys(columns));
  if (fault !== undefined) throw ApiError.invalidParameter('sort', fault, sort);
  const fields = sort.split(',').map((text) => {
    return { column: columns[nameOf(text)]!, descending: text.startsWith('-') };
  });
  if (new Set(fields.map(({ column }) => column)).size < fields.length) {
    throw ApiError.invalidParameter('sort', 'must name each field once', sort);
  }
  return [...fields, { column: 'id', descending: fields[0]!.descending }];
}

export function orderBy(fields: readonly SortField[]): string {
  return fields.map(({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');
}
