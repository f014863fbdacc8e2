import type { Type as Class } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';
import { textFault } from '#contracts';
import { EachItem } from '../items.decorator';
import { field, type FieldOptions } from './field.decorator';
import { NOT_BLANK, STORABLE } from './patterns';
import { wordsRequirement } from './word-fields.decorator';

interface Size {
  /** Fewest items; 0 by default. */
  min?: number;
  /** Most items. */
  max: number;
}

/** The type of a list's items. */
interface Items {
  /** Schema for the document. */
  schema: object;
  /** The fault of an item, if any. */
  faultOf: (item: unknown) => string | undefined;
}

/** A list of plain values. Faults are reported per item: `scopes[0]`. */
export function ListField({
  items: { schema, faultOf },
  unique,
  ...options
}: FieldOptions & Size & { items: Items; unique?: boolean }): PropertyDecorator {
  return list({ type: 'array', items: schema, ...(unique && { uniqueItems: true }) }, options, EachItem(faultOf));
}

/** A list of objects with fields of their own. */
export function NestedListField(of: Class, options: FieldOptions & Size): PropertyDecorator {
  // class-validator treats a list within a list as nested items.
  const isPlainObject = (item: unknown) => typeof item === 'object' && item !== null && !Array.isArray(item);
  return list(
    { type: [of] },
    options,
    EachItem((item) => (isPlainObject(item) ? undefined : 'must be an object')),
    ValidateNested({ each: true }),
    Type(() => of),
  );
}

function list(
  schema: ApiPropertyOptions,
  { min = 0, max, ...options }: FieldOptions & Size,
  ...constraints: PropertyDecorator[]
): PropertyDecorator {
  return field(
    { ...schema, ...(min > 0 && { minItems: min }), maxItems: max },
    options,
    IsArray({ message: '$property must be an array' }),
    ArrayMaxSize(max, { message: `$property must have at most ${max} items` }),
    ArrayMinSize(min, { message: `$property must have at least ${min} item${min === 1 ? '' : 's'}` }),
    ...constraints,
  );
}

/** Items that are words of a fixed list. */
export function wordItems(words: readonly string[]): Items {
  return {
    schema: { type: 'string', enum: [...words] },
    faultOf: (item) => (typeof item === 'string' && words.includes(item) ? undefined : wordsRequirement(words)),
  };
}

/** Items that are well-formed texts of 1 to `max` characters. @param notBlank each contains a visible character */
export function textItems(max: number, { notBlank = false } = {}): Items {
  return {
    schema: { type: 'string', minLength: 1, maxLength: max, pattern: notBlank ? NOT_BLANK : STORABLE },
    faultOf: (item) => {
      if (typeof item !== 'string') return 'must be a string';
      return textFault(item, max) ?? (notBlank && item.trim() === '' ? 'must not be blank' : undefined);
    },
  };
}
