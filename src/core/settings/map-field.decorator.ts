import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { constraint, field, type FieldOptions } from '../validation/fields/field.decorator';
import { STORABLE } from '../validation/fields/patterns';

const MAP = Symbol('map');

/** Declaration of a setting that is a map. */
export interface MapOf {
  /** The class of its entries. */
  of: Type<object>;
  /** Longest name of an entry, in characters. */
  maxName: number;
  /** A regular expression that each name must match; default: any name. */
  namePattern?: string;
  /** The most entries that the map may have. */
  max: number;
}

/** A map of objects by name. A change sets some of them; `null` removes one. `settingsFaults` checks the entries. */
export function MapField({ of, maxName, max, namePattern, ...options }: FieldOptions & MapOf): PropertyDecorator {
  const isSmall = (value: unknown) => Object.keys(value as object).length <= max;
  return applyDecorators(
    (target: object) => ApiExtraModels(of)(target.constructor),
    Reflect.metadata(MAP, { of, maxName, max, namePattern } satisfies MapOf),
    field(
      { type: 'object', additionalProperties: { $ref: getSchemaPath(of) } },
      options,
      IsObject({ message: '$property must be an object' }),
      constraint('entries', `must have at most ${max} entries`, isSmall),
    ),
  );
}

/** The declaration of a class's field if it is a map. */
export function mapOf(holder: object, property: string): MapOf | undefined {
  return Reflect.getMetadata(MAP, holder, property) as MapOf | undefined;
}

/** The schema of a change to a map: `null` removes an entry. */
export function changesOfMap({ of, maxName, max, namePattern = STORABLE }: MapOf): ApiPropertyOptions {
  return {
    type: 'object',
    additionalProperties: { anyOf: [{ $ref: getSchemaPath(of) }, { type: 'null' }] },
    maxProperties: max,
    propertyNames: { minLength: 1, maxLength: maxName, pattern: namePattern },
  } as ApiPropertyOptions;
}
