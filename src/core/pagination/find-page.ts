import { And, LessThan, MoreThanOrEqual, type FindOperator, type FindOptionsWhere, type Repository } from 'typeorm';
import { Page, sliceOf } from './list-page';
import { timeRange, type DatedListQuery, type ListQuery } from './list-query.dto';
import { orderOf, type SortField } from './sort';

export function createdWithin(query: DatedListQuery): { createdAt?: FindOperator<Date> } {
  const { from, until } = timeRange(query);
  const limits = [...(from ? [MoreThanOrEqual(from)] : []), ...(until ? [LessThan(until)] : [])];
  return limits.length > 0 ? { createdAt: And(...limits) } : {};
}

export interface FindList<Row> {
  where: FindOptionsWhere<Row>;
  /** Its fields are properties of the entity. */
  sort: readonly SortField[];
  query: Readonly<ListQuery>;
}

/** A page of a list that is counted row by row. Page and total come from one snapshot, so they are consistent. */
export async function findPage<Row extends object, Item>(
  repository: Repository<Row>,
  { where, sort, query }: FindList<Row>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const { order, offset, limit } = sliceOf(query, sort);
  const isNullable = (property: string) =>
    repository.metadata.findColumnWithPropertyName(property)?.isNullable === true;
  const [rows, total] = await repository.manager.transaction('REPEATABLE READ', (manager) =>
    manager
      .withRepository(repository)
      .createQueryBuilder('item')
      .where(where)
      .orderBy(orderOf(order, 'item', isNullable))
      .offset(offset)
      .limit(limit)
      .getManyAndCount(),
  );
  return new Page(rows.map(toItem), query, total);
}
