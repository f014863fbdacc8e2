import { field, reasonedConstraint } from '../validation/fields/field.decorator';
import { sortFault } from './sort';

/**
 * The `sort` of a list. A list query redeclares its `sort` with it.
 * @param columns field → SQL column, or property of the entity: the whitelist
 */
export function SortBy(columns: Readonly<Record<string, string>>): PropertyDecorator {
  const fields = Object.keys(columns);
  const name = `-?(${fields.join('|')})`;
  return field(
    { type: String, pattern: `^${name}(,${name})*$` },
    {
      optional: true,
      description: `Fields to sort by, separated by commas: ${fields.join(', ')}. A minus sign before a field sorts descending. A field that is named again has no effect.`,
      example: `-${fields[0]}`,
    },
    reasonedConstraint('sort', (value) => (typeof value === 'string' ? sortFault(value, columns) : 'must be a string')),
  );
}
