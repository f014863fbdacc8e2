export type Schema = Readonly<Record<string, unknown>>;

/** Types of an argument that a row can have. */
export const ROW_TYPES = ['string', 'integer', 'number', 'boolean'] as const;
type RowType = (typeof ROW_TYPES)[number];

/** An argument of a tool. */
export interface ParameterRow {
  name: string;
  type: RowType;
  required: boolean;
  description: string;
}

/** The schema of a new tool. */
export const NO_PARAMETERS: Schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

const ROW_KEYWORDS: ReadonlySet<string> = new Set(['type', 'description']);
const KEYWORDS: ReadonlySet<string> = new Set(Object.keys(NO_PARAMETERS));

/** The rows of a schema that is a plain list of arguments; undefined for any other. */
export function rowsOf(schema: unknown): ParameterRow[] | undefined {
  if (!isObject(schema)) return undefined;
  const { type, properties = {}, required = [], additionalProperties = true } = schema;
  const isPlain =
    type === 'object' && typeof additionalProperties === 'boolean' && Array.isArray(required) && isObject(properties);
  if (!isPlain || !Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return undefined;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return undefined;
  const rows = Object.entries(properties).map(([name, property]) => rowOf(name, property, required.includes(name)));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function rowOf(name: string, property: unknown, required: boolean): ParameterRow | undefined {
  if (!isObject(property) || !Object.keys(property).every((keyword) => ROW_KEYWORDS.has(keyword))) return undefined;
  const { type, description = '' } = property;
  if (!ROW_TYPES.some((each) => each === type) || typeof description !== 'string') return undefined;
  return { name, type: type as RowType, required, description };
}

/** The schema with the rows in place of its arguments. */
export function schemaOf(rows: readonly ParameterRow[], schema: Schema): Schema {
  const properties = rows.map(({ name, type, description }) => [
    name.trim(),
    { type, ...(description !== '' && { description }) },
  ]);
  const required = rows.filter((row) => row.required).map(({ name }) => name.trim());
  return { ...schema, properties: Object.fromEntries(properties) as Schema, required };
}

/** Arguments to begin with, for a test of the tool. */
export function exampleOf({ properties }: Schema): Schema {
  const given = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(given.map(([name, property]) => [name, exampleValue(property)]));
}

const EXAMPLES: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, array: [], object: {} };

function exampleValue(property: unknown): unknown {
  if (!isObject(property)) return '';
  const { type, enum: values, default: byDefault } = property;
  return byDefault ?? (Array.isArray(values) ? values[0] : (EXAMPLES[String(type)] ?? ''));
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
