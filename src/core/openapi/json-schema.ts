/** A JSON Schema (draft 2020-12), as in OpenAPI 3.1; before the conversion, a schema of OpenAPI 3.0. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  nullable?: boolean;
  example?: unknown;
  [keyword: string]: unknown;
}

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/**
 * Converts all OpenAPI 3.0 schemas that @nestjs/swagger writes into JSON Schema: `nullable` becomes the type `null`, and an
 * `allOf` around a single `$ref`, which 3.0 needs for a description beside it, becomes that `$ref`.
 * (https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0)
 */
export function toJsonSchema<T>(node: T): T {
  if (Array.isArray(node)) return node.map(toJsonSchema) as T;
  if (typeof node !== 'object' || node === null) return node;
  const converted = Object.fromEntries(
    Object.entries(node).map(([keyword, value]: [string, unknown]) => [
      keyword,
      DATA.has(keyword) ? value : toJsonSchema(value),
    ]),
  );
  return withoutNullable(flattened(converted)) as T;
}

function flattened(schema: JsonSchema): JsonSchema {
  const { allOf, ...rest } = schema;
  return Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...allOf[0] } : schema;
}

function withoutNullable(schema: JsonSchema): JsonSchema {
  const { nullable, $ref, ...rest } = schema;
  // A property named `nullable` is a schema, not a flag.
  if (typeof nullable !== 'boolean') return schema;
  if (!nullable) return { ...rest, ...($ref && { $ref }) };
  if ($ref) return { ...rest, anyOf: [{ $ref }, { type: 'null' }] };
  return {
    ...rest,
    ...(typeof rest.type === 'string' && { type: [rest.type, 'null'] }),
    ...(rest.enum && { enum: [...rest.enum, null] }),
  };
}

/** The name of the component that a reference points to. */
export function componentOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** `MessageDto` → `Message`: readers of the document do not know our classes. */
export function schemaName(className: string): string {
  return className.replace(/Dto$/, '');
}

/** Removes `Dto` from the names of a document's schemas, and from the references to them. */
export function withSchemaNames<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withSchemaNames) as T;
  if (typeof node !== 'object' || node === null) return node;
  const named = Object.entries(node).map(([keyword, value]: [string, unknown]) => {
    if (DATA.has(keyword)) return [keyword, value];
    if (keyword === '$ref') return [keyword, schemaName(value as string)];
    return [schemaName(keyword), withSchemaNames(value)];
  });
  return Object.fromEntries(named) as T;
}

/** Declares that the API refuses unknown fields in the objects of requests. */
export function closeSchema(schema: JsonSchema, components: Record<string, JsonSchema>): void {
  if (schema.$ref) return closeSchema(components[componentOf(schema.$ref)]!, components);
  if (schema.properties && schema.additionalProperties === undefined) {
    schema.additionalProperties = false;
    Object.values(schema.properties).forEach((property) => closeSchema(property, components));
  }
  if (typeof schema.additionalProperties === 'object') closeSchema(schema.additionalProperties, components);
  if (schema.items) closeSchema(schema.items, components);
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].forEach((member) => closeSchema(member, components));
}
