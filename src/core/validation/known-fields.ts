import type { Type } from '@nestjs/common';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { isJsonField, Verbatim } from './fields/json-field.decorator';
import { isPairsField, Pairs } from './fields/pairs-field.decorator';

/** A field that a class knows; `of` is the class of its object, or of the objects in its list. */
interface Field {
  of?: Type;
  isList?: boolean;
  isPairs?: boolean;
  isJson?: boolean;
}

type Plain = Record<string, unknown>;

export interface Reading {
  /**
   * The known fields of a body. Objects and lists that the class does not describe are emptied: validation refuses them
   * anyway.
   */
  known: Plain;
  /** The other fields by their dotted names: the fields of an object before those of nested objects. */
  unknown: { parameter: string; value: unknown }[];
}

/**
 * Separates the fields that a class knows from the others, on all levels, in linear time. class-transformer gets only the
 * known fields, because it compares each field with all others and calls the value of `constructor`.
 */
export function readKnown(plain: object, dto: Type): Reading {
  const unknown: Reading['unknown'] = [];
  return { known: read(plain as Plain, dto, '', unknown), unknown };
}

function read(plain: Plain, dto: Type, parent: string, unknown: Reading['unknown']): Plain {
  const fields = fieldsOf(dto);
  const names = Object.keys(plain);
  for (const name of names)
    if (!fields.has(name)) unknown.push({ parameter: dotted(parent, name), value: plain[name] });
  const known: Plain = {};
  for (const name of names) {
    const field = fields.get(name);
    if (field) known[name] = readField(plain[name], field, dotted(parent, name), unknown);
  }
  return known;
}

function readField(
  value: unknown,
  { of, isList, isPairs, isJson }: Field,
  name: string,
  unknown: Reading['unknown'],
): unknown {
  if (isJson) return new Verbatim(value);
  if (isPairs && isPlain(value))
    return new Pairs(Object.entries(value).map(([key, text]) => [key, withoutObjects(text)]));
  if (!of) return withoutObjects(value);
  if (isPlain(value)) return isList ? {} : read(value, of, name, unknown);
  if (!isList || !Array.isArray(value)) return withoutObjects(value);
  return value.map((item: unknown, index) =>
    isPlain(item) ? read(item, of, dotted(name, String(index)), unknown) : emptied(item),
  );
}

function withoutObjects(value: unknown): unknown {
  return Array.isArray(value) ? value.map(emptied) : emptied(value);
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isPlain(value) ? {} : value;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `items` and `0` → `items[0]` */
export function dotted(parent: string, name: string): string {
  if (/^\d+$/.test(name)) return `${parent}[${name}]`;
  return parent ? `${parent}.${name}` : name;
}

const cache = new WeakMap<Type, ReadonlyMap<string, Field>>();

/** The fields of a class, from its decorators. */
function fieldsOf(dto: Type): ReadonlyMap<string, Field> {
  let fields = cache.get(dto);
  if (!fields) {
    fields = declaredFields(dto);
    cache.set(dto, fields);
  }
  return fields;
}

function declaredFields(dto: Type): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const { propertyName, type, each } of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    if (type === ValidationTypes.NESTED_VALIDATION) {
      fields.set(propertyName, { of: nestedType(dto, propertyName), isList: each });
    } else if (!fields.has(propertyName)) {
      fields.set(propertyName, {
        isPairs: isPairsField(dto, propertyName),
        isJson: isJsonField(dto, propertyName),
      });
    }
  }
  return fields;
}

/**
 * The class that `@Type` gives to class-transformer. An instance shows it, because class-transformer does not export its
 * metadata.
 */
function nestedType(dto: Type, name: string): Type {
  const instance = plainToInstance(dto as ClassConstructor<Plain>, { [name]: {} });
  return (instance[name] as object).constructor as Type;
}
