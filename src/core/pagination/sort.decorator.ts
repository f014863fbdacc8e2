import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { Optional } from '../validation/parameters.decorator';
import { sortFault } from './sort';

/**
 * The `sort` of a list. A list query redeclares its `sort` with it.
 * @param columns field → SQL column: the whitelist
 */
export function SortBy(columns: Readonly<Record<string, string>>): PropertyDecorator {
  const fields = Object.keys(columns);
  const field = `-?(${fields.join('|')})`;
  return applyDecorators(
    ApiPropertyOptional({
      type: String,
      pattern: `^${field}(,${field})*$`,
      description: `Fields to sort by, separated by commas, each once: ${fields.join(', ')}. A minus sign before a field sorts descending.`,
      example: `-${fields[0]}`,
    }),
    Optional(),
    ValidateBy({
      name: 'sort',
      validator: {
        validate: (value) => typeof value === 'string' && sortFault(value, columns) === undefined,
        defaultMessage: (args) =>
          typeof args?.value === 'string'
            ? `$property ${sortFault(args.value, columns)}`
            : '$property must be a string',
      },
    }),
  );
}
