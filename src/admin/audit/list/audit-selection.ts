import type { Environment } from '#contracts';
import type { TimeRange } from '../../../core/pagination/list-query.dto';

export const HOUR_MS = 3_600_000;

/** The entries that a list is about, and their order. */
export interface AuditSelection extends TimeRange {
  environment: Environment;
  keyId?: string;
  status?: number;
  route?: string;
  /** Any of them; undefined: all. */
  methods?: readonly string[];
  /** UUID; few entries have it, and no total is kept for it. */
  requestId?: string;
  /** An exact path; no total is kept for it. */
  path?: string;
  isDescending: boolean;
}

/** The names of the counts that match the filters: their sum is the total. */
export function facetsOf({ keyId, status, route, methods }: AuditSelection): string[] {
  const facet = [keyId, status, route].map((filter) => filter ?? '').join('|');
  return methods?.map((method) => `${facet}|${method}`) ?? [facet];
}

/** Owners of counts. Requests without a well-formed key belong to no environment; live keys see them. */
export function ownersOf({ environment }: AuditSelection): string[] {
  return environment === 'live' ? ['live', ''] : [environment];
}

/** Values of a statement, by their place in it. */
export class Values {
  readonly list: unknown[] = [];

  /** @returns the value's placeholder */
  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/** SQL conditions of the filters that totals are kept for, apart from the methods. */
export function filtersOf({ keyId, status, route }: AuditSelection, values: Values): string[] {
  return [
    ...(keyId === undefined ? [] : [`api_key_id = ${values.add(keyId)}`]),
    ...(status === undefined ? [] : [`status = ${values.add(status)}`]),
    ...(route === undefined ? [] : [`route = ${values.add(route)}`]),
  ];
}

/**
 * SQL conditions on `audit_log`, apart from time, for each owner and method: an `OR` of them would have PostgreSQL sort all of
 * their entries.
 */
export function conditionsOf(selection: AuditSelection, values: Values): string[] {
  const { path, requestId } = selection;
  const filters = [
    ...filtersOf(selection, values),
    path !== undefined && `path = ${values.add(path)}`,
    requestId !== undefined && `request_id = ${values.add(requestId)}`,
  ].filter((filter) => filter !== false);
  const methods = selection.methods?.map((method) => [`method = ${values.add(method)}`]) ?? [[]];
  return ownersOf(selection).flatMap((owner) => {
    const isOwned = owner === '' ? 'environment IS NULL' : `environment = ${values.add(owner)}`;
    return methods.map((method) => [isOwned, ...method, ...filters].join(' AND '));
  });
}
