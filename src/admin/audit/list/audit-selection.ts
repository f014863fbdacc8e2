import type { Environment } from '#contracts';
import type { TimeRange } from '../../../core/pagination/list-query.dto';

export const HOUR_MS = 3_600_000;

/** The filters and the order of a list. */
export interface AuditSelection extends TimeRange {
  environment: Environment;
  keyId?: string;
  status?: number;
  route?: string;
  /** Entries with any of these methods; undefined for all. */
  methods?: readonly string[];
  /** UUID. No total is kept for it, because few entries have it. */
  requestId?: string;
  /** An exact path; no total is kept for it. */
  path?: string;
  isDescending: boolean;
}

/** The facets of the counts that match the filters: the sum of these counts is the total. */
export function facetsOf({ keyId, status, route, methods }: AuditSelection): string[] {
  const facet = [keyId, status, route].map((filter) => filter ?? '').join('|');
  return methods?.map((method) => `${facet}|${method}`) ?? [facet];
}

/** Owners of counts. Requests without a well-formed key belong to no environment; live keys see them. */
export function ownersOf({ environment }: AuditSelection): string[] {
  return environment === 'live' ? ['live', ''] : [environment];
}

/** The values of a statement, in the order of their placeholders. */
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
 * SQL conditions on `audit_log` without the time, one for each owner and method: for an `OR` of them, PostgreSQL would
 * sort all matching entries.
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
