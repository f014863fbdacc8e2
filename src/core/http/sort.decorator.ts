import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { Optional } from './parameters';
import { sortFault } from './sort';

/** The `sort` of a list: which fields it may name. A list query redeclares its `sort` with it. */
export function SortBy(...fields: [string, ...string[]]): PropertyDecorator {
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
        validate: (value) => typeof value === 'string' && sortFault(value, fields) === undefined,
        defaultMessage: (args) =>
          typeof args?.value === 'string' ? `$property ${sortFault(args.value, fields)}` : '$property must be a string',
      },
    }),
  );
}
