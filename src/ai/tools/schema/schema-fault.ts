import { isObject, type JsonObject } from '../../../core/settings/json-object';

/** A JSON Schema of the arguments of a tool. */
export type JsonSchema = Readonly<JsonObject>;

/** Longest schema as JSON, in bytes. */
export const MAX_SCHEMA_BYTES = 16_384;
/** Deepest schema within schemas. */
const DEEPEST = 16;
const MOST_SCHEMAS = 500;

/** Keywords that a schema may not have, and why. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  pattern: 'a regular expression may take too long',
  patternProperties: 'a regular expression may take too long',
  format: 'formats are not checked',
  $id: 'only local references are followed',
  $anchor: 'only local references are followed',
  $dynamicRef: 'only local references are followed',
  $dynamicAnchor: 'only local references are followed',
  $recursiveRef: 'only local references are followed',
  $recursiveAnchor: 'only local references are followed',
  // Ajv would return a promise, which counts as "fits", and whose rejection nothing handles.
  $async: 'arguments are checked at once',
};

/**
 * Keywords whose value is a schema, a list of schemas, or schemas by name: all that Ajv compiles, also those of older drafts. Values
 * of all other keywords are data.
 */
const ONE = new Set([
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const MAPS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/**
 * The first fault of a schema: where keywords are that no tool may use, or the schema is too large. Whether the rest of it is a
 * JSON Schema, the compiler decides.
 */
export function schemaFault(schema: JsonObject): string | undefined {
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES)
    return `must have at most ${MAX_SCHEMA_BYTES} bytes as JSON`;
  if (schema['type'] !== 'object') return 'must be a JSON Schema with "type": "object"';
  const walk = new SchemaWalk();
  return walk.visit(withoutName(schema), '#', 0) ?? walk.referenceFault();
}

/** The schema without the keywords that only name it. */
export function withoutName(schema: JsonSchema): JsonObject {
  const { $schema: _, $id: __, ...rest } = schema;
  return rest;
}

class SchemaWalk {
  /** JSON pointers of the schemas. A reference to anything else would reach keywords that the walk has not seen. */
  private readonly places = new Set<string>();
  private readonly references: string[] = [];

  /** @param place JSON pointer of the schema, as a URI fragment */
  visit(schema: unknown, place: string, depth: number): string | undefined {
    if (typeof schema === 'boolean') return undefined;
    if (!isObject(schema)) return `has no schema at ${place}`;
    this.places.add(place);
    if (depth > DEEPEST) return `must have at most ${DEEPEST} levels of schemas`;
    if (this.places.size > MOST_SCHEMAS) return `must have at most ${MOST_SCHEMAS} schemas`;
    for (const keyword of Object.keys(schema)) {
      const reason = Object.hasOwn(FORBIDDEN, keyword) ? FORBIDDEN[keyword] : undefined;
      if (reason) return `must not have "${keyword}" (${place}): ${reason}`;
    }
    const { $ref } = schema;
    if ($ref !== undefined) {
      if (typeof $ref !== 'string' || !$ref.startsWith('#')) return `must have only local references (${place})`;
      this.references.push($ref);
    }
    for (const [inner, at] of innerSchemas(schema)) {
      const fault = this.visit(inner, `${place}/${at}`, depth + 1);
      if (fault) return fault;
    }
    return undefined;
  }

  referenceFault(): string | undefined {
    const broken = this.references.find((reference) => !this.places.has(reference));
    return broken === undefined ? undefined : `has a reference to no schema: ${broken.slice(0, 100)}`;
  }
}

function innerSchemas(schema: JsonObject): [inner: unknown, at: string][] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (Array.isArray(value) && LISTS.has(keyword))
      return value.map((inner: unknown, index): [unknown, string] => [inner, `${keyword}/${index}`]);
    if (ONE.has(keyword)) return [[value, keyword] as [unknown, string]];
    if (!MAPS.has(keyword) || !isObject(value)) return [];
    return Object.entries(value)
      .filter(([, inner]) => !(keyword === 'dependencies' && Array.isArray(inner))) // names of properties
      .map(([name, inner]): [unknown, string] => [inner, `${keyword}/${fragment(name)}`]);
  });
}

/** RFC 6901, 6: a name in a JSON pointer that is a URI fragment. */
function fragment(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
