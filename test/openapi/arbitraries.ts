import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../src/core/openapi/json-schema';
import { resolve, type OpenApiDocument } from './document';
import { STORABLE } from '../../src/core/validation/fields/patterns';
import { HOSTILE_NAMES, HOSTILE_VALUES } from './hostile';

/** Longest text, and list, that is made where nothing shorter is asked for. */
const TEXT_LENGTH = 40;
const LIST_LENGTH = 4;

/** Values that a schema of the document describes: often its example, the edges of its ranges more often than their middle. */
export function valid(document: OpenApiDocument, schema: JsonSchema): Arbitrary<unknown> {
  const described = plain(document, schema);
  const { example } = schema;
  return example === undefined ? described : fc.oneof({ weight: 2, arbitrary: fc.constant(example) }, described);
}

function plain(document: OpenApiDocument, schema: JsonSchema): Arbitrary<unknown> {
  if (schema.$ref) return valid(document, resolve<JsonSchema>(document, schema));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valid(document, choice)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => plain(document, { ...schema, type })));
  const { type = 'string' } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.double({ ...range(schema, 0, 1e6), noNaN: true });
    case 'array':
      return lists(document, schema);
    case 'object':
      return objects(document, schema);
    default:
      return texts(schema);
  }
}

function range({ minimum, maximum }: JsonSchema, least: number, most: number): { min: number; max: number } {
  return { min: (minimum as number | undefined) ?? least, max: (maximum as number | undefined) ?? most };
}

function integers(schema: JsonSchema): Arbitrary<number> {
  const { min, max } = range(schema, -(2 ** 31), 2 ** 31);
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
}

function lists(document: OpenApiDocument, { items = {}, example, ...schema }: JsonSchema): Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = LIST_LENGTH, uniqueItems } = schema as Record<string, number | undefined>;
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, LIST_LENGTH)) };
  const item = Array.isArray(example)
    ? fc.oneof(fc.constantFrom(...(example as unknown[])), valid(document, items))
    : valid(document, items);
  return uniqueItems ? fc.uniqueArray(item, length) : fc.array(item, length);
}

function objects(document: OpenApiDocument, schema: JsonSchema): Arbitrary<object> {
  const { properties, required = [], additionalProperties } = schema;
  if (properties) {
    const fields = Object.entries(properties).map(([name, property]) => [name, valid(document, property)] as const);
    const { minProperties = 0 } = schema as { minProperties?: number };
    return fc
      .record(Object.fromEntries(fields), { requiredKeys: required })
      .filter((made) => Object.keys(made).length >= minProperties);
  }
  const values = typeof additionalProperties === 'object' ? valid(document, additionalProperties) : fc.constant(null);
  return fc.dictionary(namesOf(schema), values, { maxKeys: 3 });
}

/** Names of the entries of a map. */
function namesOf({ propertyNames }: JsonSchema): Arbitrary<string> {
  const { pattern = STORABLE } = (propertyNames ?? {}) as JsonSchema;
  return pattern === STORABLE
    ? fc.stringMatching(/^[a-z-]{1,20}$/)
    : fc.stringMatching(new RegExp(pattern as string, 'u'));
}

/** The words of a list, as the description of its parameter names them. */
const LISTED = /one or more of (.+?), separated by commas/;

function texts({
  description,
  format,
  pattern,
  minLength = 0,
  maxLength = TEXT_LENGTH,
}: JsonSchema): Arbitrary<string> {
  const words = LISTED.exec((description ?? '') as string)?.[1]?.split(', ');
  if (words) return fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: LIST_LENGTH }).map(String);
  const [min, max] = [minLength as number, maxLength as number];
  const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  if (format === 'date-time') return day.map((date) => date.toISOString());
  if (format === 'date') return day.map((date) => date.toISOString().slice(0, 10));
  if (format === 'ip-range')
    return fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.tuple(fc.ipV4(), fc.nat(32)).map((parts) => parts.join('/')),
      fc.tuple(fc.ipV6(), fc.nat(128)).map((parts) => parts.join('/')),
    );
  if (format === 'email') return fc.constantFrom('owner@example.com', 'a+b@sub.example.org');
  if (typeof pattern === 'string' && pattern !== STORABLE) return matching(pattern, min, max);
  if (format === 'uri') return fc.stringMatching(/^https:\/\/[a-z]{1,10}\.example\.com\/[a-z]{0,10}$/);
  const length = { minLength: Math.max(min, 1), maxLength: Math.max(min, Math.min(max, TEXT_LENGTH)) };
  const short = fc.string({ unit: 'binary', ...length }).map((text) => text.replaceAll('\u0000', 'x'));
  // Code points count, not UTF-16 units: as long as can be, in twice as many of those.
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: fc.constant('🦊'.repeat(max)) });
}

/** By their pattern: fast-check may take seconds to make one. */
const textsOfPatterns = new Map<string, Arbitrary<string>>();

/** A lone surrogate has no UTF-8 form. */
function matching(pattern: string, min: number, max: number): Arbitrary<string> {
  const matched = textsOfPatterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'medium' });
  textsOfPatterns.set(pattern, matched);
  return matched.filter((text) => {
    const { length } = [...text];
    return length >= min && length <= max && text.isWellFormed();
  });
}

/** A change to one place of a value. */
interface Fault {
  /** Which of the places, counted round and round. */
  place: number;
  kind: 'replace' | 'remove' | 'add';
  value: unknown;
  name: string;
}

export const faults: Arbitrary<Fault> = fc.record({
  place: fc.nat(50),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  value: fc.constantFrom(...HOSTILE_VALUES),
  name: fc.constantFrom(...HOSTILE_NAMES),
});

/** A copy of a value with one fault in it. */
export function withFault(value: unknown, { place, kind, value: hostile, name }: Fault): unknown {
  const copy = { root: structuredClone(value) };
  const places = placesOf(copy, 'root');
  const { parent, key } = places[place % places.length]!;
  if (kind === 'replace') parent[key] = hostile;
  else if (kind === 'remove' && parent !== copy) delete parent[key];
  else if (typeof parent[key] === 'object' && parent[key] !== null) (parent[key] as Record<string, unknown>)[name] = 1;
  else parent[key] = hostile;
  return copy.root;
}

function placesOf(parent: Record<string, unknown>, key: string): { parent: Record<string, unknown>; key: string }[] {
  const value = parent[key];
  const inner =
    typeof value === 'object' && value !== null
      ? Object.keys(value).flatMap((name) => placesOf(value as Record<string, unknown>, name))
      : [];
  return [{ parent, key }, ...inner];
}
