import type { Environment, Platform } from '#contracts';
import { Bindings } from '../../core/database/bindings';
import { partitionSql } from './partition.rows';
import { positionOf } from './position.rows';

/** SQL that counts the messages of a platform before each of these moments: one row of `rank` per moment, in their order. */
export function messagesBefore(
  partition: { environment: Environment; platform: Platform },
  moments: readonly Date[],
): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const sql = partitionSql(partition, {
    bind: (name, type) => bindings.bind(partition[name as keyof typeof partition], type),
  });
  const all = bindings.inline(moments, 'timestamptz[]');
  const text = `WITH ${bindings.given}
    SELECT place.rank FROM unnest(${all}) WITH ORDINALITY AS bound (moment, number)
    CROSS JOIN LATERAL (${positionOf(sql, 'bound.moment')}) place ORDER BY number`;
  return { text, values: bindings.values };
}
