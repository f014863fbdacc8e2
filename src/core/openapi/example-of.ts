import { exampleFieldsOf } from './example.decorator';
import { componentOf, type JsonSchema } from './json-schema';

export const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z';

/**
 * Builds an example of a schema from the examples, first words and smallest numbers of its parts. An object gets only its
 * required fields. A text without an example gives undefined: a test reports it.
 */
export function exampleOf(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
  if (schema.$ref) return exampleOfComponent(schema, components);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return exampleOf(first, components);
  if (schema.properties) {
    const { properties, required = [] } = schema;
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name]!, components)]));
  }
  if (schema.items) return [exampleOf(schema.items, components)];
  return simpleExample(schema);
}

/** The class's example overrides those of its fields, and the reference's example overrides both. */
function exampleOfComponent({ $ref, example }: JsonSchema, components: Record<string, JsonSchema>): unknown {
  const name = componentOf($ref!);
  const built = exampleOf(components[name]!, components);
  const fields = exampleFieldsOf(name);
  return fields || example ? Object.assign({}, built, fields, example) : built;
}

function simpleExample({ type, format, minimum = 0 }: JsonSchema): unknown {
  if (Array.isArray(type)) return null;
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return minimum;
  return format === 'date-time' ? EXAMPLE_TIME : undefined;
}
