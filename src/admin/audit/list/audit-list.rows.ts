import type { Environment } from '#contracts';
import { Bindings } from '../../../core/database/bindings';
import type { TimeRange } from '../../../core/pagination/list-query.dto';
import { TOTAL_CAP, type Slice } from '../../../core/pagination/list-page';
import { createdWithin } from '../../../core/pagination/list-statement';

/** The filters and the order of a list. */
export interface AuditSelection extends TimeRange {
  environment: Environment;
  keyId?: string;
  status?: number;
  route?: string;
  /** Entries with any of these methods; undefined for all. */
  methods?: readonly string[];
  requestId?: string;
  /** An exact path. */
  path?: string;
  isDescending: boolean;
}

/**
 * The ids of a page in order, and the number of entries up to one more than `TOTAL_CAP`, from one snapshot. Requests without a
 * well-formed key belong to no environment; live keys see them. Each environment and method is read through an index of its
 * own: for an `OR` of them, PostgreSQL would sort all matching entries.
 */
export function auditPage(selection: AuditSelection, { offset, limit }: Slice): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const equals = (column: string, value: unknown, type: string) =>
    value === undefined ? [] : [`${column} = ${bindings.inline(value, type)}`];
  const shared = [
    ...equals('api_key_id', selection.keyId, 'uuid'),
    ...equals('status', selection.status, 'integer'),
    ...equals('route', selection.route, 'text'),
    ...equals('path', selection.path, 'text'),
    ...equals('request_id', selection.requestId, 'uuid'),
    ...createdWithin(selection, bindings),
  ];
  const { environment, methods = [undefined] } = selection;
  const owners = [
    ...equals('environment', environment, 'environment'),
    ...(environment === 'live' ? ['environment IS NULL'] : []),
  ];
  const ways = methods.flatMap((method) => equals('method', method, 'text'));
  const branches = owners.flatMap((owner) => (ways.length > 0 ? ways.map((way) => [owner, way]) : [[owner]]));
  const order = selection.isDescending ? 'created_at DESC, id DESC' : 'created_at, id';
  const union = (rest: string) =>
    branches
      .map((own) => `(SELECT id, created_at FROM audit_log WHERE ${[...own, ...shared].join(' AND ')} ${rest})`)
      .join(' UNION ALL ');
  const end = Math.min(offset + limit, TOTAL_CAP);
  const text = `SELECT
    (SELECT count(*)::int FROM (SELECT FROM (${union(`LIMIT ${TOTAL_CAP + 1}`)}) matching LIMIT ${TOTAL_CAP + 1}) counted) AS total,
    ARRAY(
      SELECT id FROM (${union(`ORDER BY ${order} LIMIT ${end}`)}) entry
      ORDER BY ${order} LIMIT ${Math.max(0, end - offset)} OFFSET ${Math.min(offset, TOTAL_CAP)}
    ) AS ids`;
  return { text, values: bindings.values };
}
