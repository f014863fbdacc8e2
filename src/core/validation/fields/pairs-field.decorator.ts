import { applyDecorators, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { textFault } from '#contracts';
import { field, reasonedConstraint, type FieldOptions } from './field.decorator';
import { STORABLE } from './patterns';

interface PairsOptions extends FieldOptions {
  /** Most pairs. */
  max: number;
  /** Longest key, in characters. */
  maxKey: number;
  /** Longest value, in characters; a value may be empty. */
  maxValue: number;
}

const PAIRS = Symbol('pairs');

/** The entries of an object on their way through class-transformer, which would call the value of a key `constructor`. */
export class Pairs {
  constructor(readonly entries: [key: string, text: unknown][]) {}
}

export function isPairsField(dto: Type, property: string): boolean {
  return Reflect.getMetadata(PAIRS, dto.prototype as object, property) === true;
}

/** Texts by key. */
export function PairsField({ max, maxKey, maxValue, ...options }: PairsOptions): PropertyDecorator {
  const schema = {
    type: 'object' as const,
    additionalProperties: { type: 'string', maxLength: maxValue, pattern: STORABLE },
    maxProperties: max,
    propertyNames: { minLength: 1, maxLength: maxKey, pattern: STORABLE },
  };
  return applyDecorators(
    Reflect.metadata(PAIRS, true),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => unwrapped(obj[key])),
    field(
      schema,
      options,
      reasonedConstraint('pairs', (value) => faultOf(value, { max, maxKey, maxValue })),
    ),
  );
}

function unwrapped(value: unknown): unknown {
  return value instanceof Pairs ? Object.fromEntries(value.entries) : value;
}

function faultOf(value: unknown, { max, maxKey, maxValue }: Omit<PairsOptions, keyof FieldOptions>) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const pairs = Object.entries(value);
  if (pairs.length > max) return `must have at most ${max} pairs`;
  for (const [key, text] of pairs) {
    const keyFault = textFault(key, maxKey);
    if (keyFault) return `must have only keys of 1 to ${maxKey} characters`;
    if (typeof text !== 'string') return `must have only texts as values`;
    if (text !== '' && textFault(text, maxValue)) return `must have only values of up to ${maxValue} characters`;
  }
  return undefined;
}
