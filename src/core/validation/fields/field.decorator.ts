import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';

/** Options of every field decorator. */
export interface FieldOptions {
  /** Meaning of the field, for the OpenAPI document. */
  description: string;
  /** Default for a required field: its initial value. */
  example?: unknown;
  /** May be left out; the field's initial value is then its default. Unlike class-validator's IsOptional, not `null`. */
  optional?: boolean;
  /** May be left out if the request has one of these fields. */
  unless?: readonly string[];
  /** May be `null`, which removes the value. */
  nullable?: boolean;
}

/**
 * A field of a request, checked and documented by one declaration.
 * @param schema of the field's values, in the document
 * @param constraints checked in this order; the answer reports the first that fails
 */
export function field(
  schema: ApiPropertyOptions,
  { optional = false, unless = [], nullable = false, description, example }: FieldOptions,
  ...constraints: PropertyDecorator[]
): PropertyDecorator {
  return (target, property) => {
    const initial = initialValue(target, property);
    const documented = {
      ...schema,
      description,
      example: example ?? (optional || 'enum' in schema ? undefined : initial),
      ...(nullable && { nullable }),
      ...(optional && { required: false, default: initial ?? schema.default }),
      ...(unless.length > 0 && { required: false }),
    } as ApiPropertyOptions;
    const isChecked = (request: object, value: unknown) =>
      !(optional && value === undefined) &&
      !(value === undefined && unless.some((name) => (request as Record<string, unknown>)[name] !== undefined)) &&
      !(nullable && value === null);
    applyDecorators(
      ApiProperty(documented),
      ...(optional || nullable || unless.length > 0 ? [ValidateIf(isChecked)] : []),
      ...constraints,
    )(target, property);
  };
}

/** The initial value of a field, unless it is an object. The class is complete by the time its properties are decorated. */
function initialValue(prototype: object, property: string | symbol): unknown {
  const initial = new (prototype.constructor as Type<Record<string | symbol, unknown>>)()[property];
  return typeof initial === 'object' ? undefined : initial;
}

/** @param requirement follows the parameter's name: `must be …` */
export function constraint(name: string, requirement: string, accepts: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate: accepts, defaultMessage: buildMessage((each) => `${each}$property ${requirement}`) },
  });
}

/** A constraint whose message depends on the value. */
export function reasonedConstraint(name: string, faultOf: (value: unknown) => string | undefined): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value) => faultOf(value) === undefined,
      defaultMessage: (args) => `$property ${faultOf(args?.value)}`,
    },
  });
}

/**
 * Converts values of a query string, which are all text; in a body, `"5"` has the wrong type. The pipe sets the group.
 * @param convert returns a text unchanged if it cannot convert it
 */
export function fromQuery(convert: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? convert(value) : value), {
    groups: ['query'],
  });
}
