import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { constraint, field, type FieldOptions } from '../validation/fields/field.decorator';

const MAP = Symbol('map');

/** What a setting holds that is a map. */
export interface MapOf {
  /** The class of its entries. */
  of: Type<object>;
  /** Longest name of an entry, in characters. */
  maxName: number;
}

/** A map of objects by any name, of which a change sets some; `null` takes one away. `settingsFaults` checks its entries. */
export function MapField({ of, maxName, max, ...options }: FieldOptions & MapOf & { max: number }): PropertyDecorator {
  const isSmall = (value: unknown) => Object.keys(value as object).length <= max;
  return applyDecorators(
    (target: object) => ApiExtraModels(of)(target.constructor),
    Reflect.metadata(MAP, { of, maxName } satisfies MapOf),
    field(
      { type: 'object', additionalProperties: { $ref: getSchemaPath(of) } },
      options,
      IsObject({ message: '$property must be an object' }),
      constraint('entries', `must have at most ${max} entries`, isSmall),
    ),
  );
}

/** What the field of a class holds, if it is a map. */
export function mapOf(holder: object, property: string): MapOf | undefined {
  return Reflect.getMetadata(MAP, holder, property) as MapOf | undefined;
}
