import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * SQL condition of an UPDATE or DELETE: the row is among the first `count` rows of a selection that no other transaction has
 * locked. For batches that do not wait for other transactions and hold their locks briefly. The statement takes the
 * parameters of the selection.
 */
export function isFirstUnlocked<Row extends ObjectLiteral>(selection: SelectQueryBuilder<Row>, count: number): string {
  const { alias } = selection;
  const keys = selection.expressionMap.mainAlias!.metadata.primaryColumns;
  const chosen = selection
    .select(keys.map(({ propertyName }) => `${alias}.${propertyName}`))
    .limit(count)
    .setLock('pessimistic_write', undefined, [alias])
    .setOnLocked('skip_locked');
  return `(${keys.map(({ databaseName }) => databaseName).join(', ')}) IN (${chosen.getQuery()})`;
}

/** @returns the number of deleted rows: fewer than `count` when no more exist */
export async function deleteFirstUnlocked<Row extends ObjectLiteral>(
  selection: SelectQueryBuilder<Row>,
  count: number,
): Promise<number> {
  const condition = isFirstUnlocked(selection, count);
  const { affected } = await selection.connection
    .createQueryBuilder()
    .delete()
    .from(selection.expressionMap.mainAlias!.target)
    .where(condition)
    .setParameters(selection.getParameters())
    .execute();
  return affected ?? 0;
}
