import { STORABLE } from '../../src/core/validation/fields/patterns';
import type { JsonSchema } from '../../src/core/openapi/json-schema';
import type { OpenApiDocument } from './document';
import { distinct, isNullable, misfits, resolved, sampleOf, textOfLength } from './samples';

/** One value at a bound of the document, or just beyond it. */
export interface Probe {
  /** The keyword, e.g. `maxLength 200`. */
  bound: string;
  /** The value of the place that has the bound; `undefined`: it is left out. */
  value: unknown;
  /** Whether the document admits it. */
  admitted: boolean;
}

/** A place in a request, as the API names it: `options.max_tokens`, `scopes[0]`. */
export interface Place {
  path: readonly (string | number)[];
  schema: JsonSchema;
  isRequired: boolean;
}

export function nameOf(path: Place['path']): string {
  return path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );
}

/** Every place of a body, the body itself first. */
export function placesOf(
  document: OpenApiDocument,
  schema: JsonSchema,
  path: Place['path'] = [],
  isRequired = true,
): Place[] {
  const described = resolved(document, schema);
  const { properties = {}, required = [], items, additionalProperties } = described;
  return [
    { path, schema, isRequired },
    ...Object.entries(properties).flatMap(([name, property]) =>
      placesOf(document, property, [...path, name], required.includes(name)),
    ),
    ...(items ? placesOf(document, items, [...path, 0], false) : []),
    ...(typeof additionalProperties === 'object'
      ? placesOf(document, additionalProperties, [...path, nameOfEntry(described, 0)], false)
      : []),
  ];
}

/** A name that an entry of a map may have; the only pattern of names is that of numbers. */
function nameOfEntry({ propertyNames }: JsonSchema, index: number): string {
  const { pattern = STORABLE } = (propertyNames ?? {}) as JsonSchema;
  return pattern === STORABLE ? `name-${index}` : `+${index + 1}`;
}

/** A copy of a value with another value at a place; objects and lists on the way there are made where they lack. */
export function withValue(root: unknown, path: Place['path'], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy: Record<string | number, unknown> = structuredClone(
    typeof root === 'object' && root !== null ? root : typeof step === 'number' ? [] : {},
  ) as never;
  const inner = withValue(copy[step], rest, value);
  if (inner === undefined) delete copy[step];
  else copy[step] = inner;
  return copy;
}

/** The values to try at a place, at each of its bounds and beyond. @throws where a bound has no value to try */
export function probesOf(document: OpenApiDocument, { path, schema, isRequired }: Place): Probe[] {
  const whole = resolved(document, schema);
  const probes: Probe[] = [
    ...(path.length > 0 && isRequired && typeof path.at(-1) === 'string'
      ? [{ bound: 'required', value: undefined, admitted: false }]
      : []),
    { bound: 'null', value: null, admitted: isNullable(schema) },
    ...wordProbes(whole),
    ...numberProbes(whole),
    ...(whole.type === 'string' ? textProbes(whole) : []),
    ...(whole.type === 'array' ? listProbes(document, whole) : []),
    ...(whole.type === 'object' ? objectProbes(document, whole) : []),
  ];
  return probes;
}

function wordProbes({ enum: words, type }: JsonSchema): Probe[] {
  if (!words) return [];
  const admitted = words.map((value) => ({ bound: 'enum', value, admitted: true }));
  if (type !== 'string') return admitted;
  const known = words.filter((word) => typeof word === 'string');
  const others = [`${known[0]}s`, ` ${known[0]}`, known[0]!.toUpperCase(), ''].filter((word) => !known.includes(word));
  return [...admitted, ...others.map((value) => ({ bound: 'enum', value, admitted: false }))];
}

function numberProbes({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): Probe[] {
  if (type !== 'integer' && type !== 'number') return [];
  if (exclusiveMinimum !== undefined || exclusiveMaximum !== undefined)
    throw new Error('an exclusive bound is not tried');
  const step = type === 'integer' ? 1 : 0.001;
  const atBounds = Object.entries({ minimum, maximum }).filter(([, value]) => value !== undefined) as [
    string,
    number,
  ][];
  return [
    ...atBounds.flatMap(([name, value]) => [
      { bound: `${name} ${value}`, value, admitted: true },
      { bound: `${name} ${value}`, value: name === 'minimum' ? value - step : value + step, admitted: false },
    ]),
    ...(type === 'integer' ? [{ bound: type, value: (atBounds[0]?.[1] ?? 1) + 0.5, admitted: false }] : []),
  ];
}

function textProbes(schema: JsonSchema): Probe[] {
  const { enum: words, minLength, maxLength, pattern, format } = schema;
  if (words) return [];
  const probes: Probe[] = [{ bound: 'string', value: 5, admitted: false }];
  const ofLength = (bound: string, length: number, admitted: boolean) => {
    const value = textOfLength(schema, length);
    // Beyond the bound there may be no text that the pattern admits: it is then the pattern's to refuse, any text will do.
    if (value === undefined && admitted) throw new Error(`no text of ${length} characters fits ${String(pattern)}`);
    probes.push({ bound, value: value ?? 'x'.repeat(length), admitted });
  };
  if (typeof minLength === 'number' && format !== 'uri') {
    ofLength(`minLength ${minLength}`, minLength, true);
    if (minLength > 0) ofLength(`minLength ${minLength}`, minLength - 1, false);
  }
  if (typeof maxLength === 'number') {
    ofLength(`maxLength ${maxLength}`, maxLength, true);
    ofLength(`maxLength ${maxLength}`, maxLength + 1, false);
  }
  if (typeof pattern === 'string') {
    const others = misfits(schema);
    if (others.length === 0) throw new Error(`every text fits ${pattern}`);
    for (const value of others.slice(0, 4)) probes.push({ bound: `pattern ${pattern}`, value, admitted: false });
  }
  if (format === 'date-time') {
    probes.push({ bound: format, value: '2099-01-01T00:00:00Z', admitted: true });
    probes.push({ bound: format, value: '2099-01-01T01:00:00.5+01:00', admitted: true });
    for (const value of ['2099-02-30T00:00:00Z', '2099-01-01T25:00:00Z', '2099-01-01 00:00', 'tomorrow', ''])
      probes.push({ bound: format, value, admitted: false });
  }
  if (format === 'ip-range') probes.push({ bound: format, value: '198.51.100.256', admitted: false });
  if (format === 'email') probes.push({ bound: format, value: 'nobody', admitted: false });
  if (format === 'uri') probes.push({ bound: format, value: 'example.com', admitted: false });
  return probes;
}

function listProbes(document: OpenApiDocument, { items, minItems, maxItems, uniqueItems }: JsonSchema): Probe[] {
  const probes: Probe[] = [{ bound: 'array', value: {}, admitted: false }];
  const bounds = Object.entries({ minItems, maxItems }).filter(([, size]) => size !== undefined) as [string, number][];
  for (const [name, size] of bounds) {
    probes.push({ bound: `${name} ${size}`, value: distinct(document, items!, size), admitted: true });
    const beyond = name === 'minItems' ? size - 1 : size + 1;
    if (beyond >= 0)
      probes.push({ bound: `${name} ${size}`, value: distinct(document, items!, beyond), admitted: false });
  }
  const item = sampleOf(document, items!, 1);
  if (uniqueItems) probes.push({ bound: 'uniqueItems', value: [item, item], admitted: false });
  return probes;
}

function objectProbes(document: OpenApiDocument, schema: JsonSchema): Probe[] {
  const { minProperties, maxProperties, properties, required = [], additionalProperties } = schema;
  const probes: Probe[] = [{ bound: 'object', value: [], admitted: false }];
  if (typeof minProperties === 'number') {
    const one = Object.entries(properties ?? {}).slice(0, minProperties);
    const least = Object.fromEntries(one.map(([name, property]) => [name, sampleOf(document, property)]));
    probes.push({ bound: `minProperties ${minProperties}`, value: least, admitted: true });
    probes.push({
      bound: `minProperties ${minProperties}`,
      value: Object.fromEntries(Object.entries(least).slice(1)),
      admitted: false,
    });
  }
  if (typeof maxProperties === 'number') {
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          nameOfEntry(schema, index),
          sampleOf(document, additionalProperties as JsonSchema),
        ]),
      );
    probes.push({ bound: `maxProperties ${maxProperties}`, value: many(maxProperties), admitted: true });
    probes.push({ bound: `maxProperties ${maxProperties}`, value: many(maxProperties + 1), admitted: false });
  }
  if (additionalProperties === false) {
    const known = Object.fromEntries(required.map((name) => [name, sampleOf(document, properties![name]!)]));
    probes.push({ bound: 'additionalProperties', value: { ...known, no_such_field: 1 }, admitted: false });
  }
  return probes;
}
