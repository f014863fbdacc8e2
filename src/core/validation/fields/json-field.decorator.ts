import { applyDecorators, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { constraint, field, type FieldOptions } from './field.decorator';

const JSON_OBJECT = Symbol('JSON object');

/** A value on its way through class-transformer, which would call the value of a key `constructor`. */
export class Verbatim {
  constructor(readonly value: unknown) {}
}

export function isJsonField(dto: Type, property: string): boolean {
  return Reflect.getMetadata(JSON_OBJECT, dto.prototype as object, property) === true;
}

/** An object with any fields, as the client sent it. */
export function JsonObjectField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    Reflect.metadata(JSON_OBJECT, true),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => unwrapped(obj[key])),
    field(
      { type: 'object', additionalProperties: true },
      options,
      constraint(
        'object',
        'must be an object',
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      ),
    ),
  );
}

function unwrapped(value: unknown): unknown {
  return value instanceof Verbatim ? value.value : value;
}
