import { field, reasonedConstraint } from '../validation/fields/field.decorator';
import { sortFault } from './sort';

/**
 * The `sort` of a list. A list query redeclares its `sort` with it.
 * @param columns field → SQL column, or property of the entity: the whitelist
 */
export function SortBy(columns: Readonly<Record<string, string>>): PropertyDecorator {
  const fields = Object.keys(columns);
  return field(
    { type: String, pattern: '^-?[a-z_]+(,-?[a-z_]+)*$' },
    {
      optional: true,
      description: `Fields to sort by: one or more of ${fields.join(', ')}, separated by commas. A minus sign before a field sorts descending. Repeated fields are ignored.`,
      example: `-${fields[0]}`,
    },
    reasonedConstraint('sort', (value) => (typeof value === 'string' ? sortFault(value, columns) : 'must be a string')),
  );
}
