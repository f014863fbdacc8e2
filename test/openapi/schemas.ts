import { isIP } from 'node:net';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { JsonSchema } from '../../src/core/openapi/json-schema';
import type { OpenApiDocument } from './document';

const DATE = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;

/** The formats that the document uses. */
const FORMATS = {
  date: new RegExp(`^${DATE}$`),
  'date-time': new RegExp(String.raw`^${DATE}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$`),
  email: /^[^\s@]+@[^\s@]+$/,
  uri: (text: string) => URL.canParse(text),
  'ip-range': (text: string) => isIP(text.split('/')[0]!) > 0 && /^[^/]+([/][0-9]{1,3})?$/.test(text),
};

/** All timestamps that the API shows are in UTC, with milliseconds. */
const SHOWN_FORMATS = { ...FORMATS, 'date-time': new RegExp(String.raw`^${DATE}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`) };

/**
 * Validates values against schemas of a document, compiled when first asked for.
 */
export class Schemas {
  private readonly ajv: Ajv2020;
  private readonly compiled = new Map<JsonSchema, ValidateFunction>();

  private constructor(
    document: OpenApiDocument,
    private readonly prepare: (schema: JsonSchema) => JsonSchema,
    formats: typeof FORMATS,
  ) {
    this.ajv = new Ajv2020({ strict: false, formats });
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      this.ajv.addSchema(prepare(schema), name);
    }
  }

  /** For what clients send. */
  static ofRequests(document: OpenApiDocument): Schemas {
    return new Schemas(document, withLocalReferences, FORMATS);
  }

  /**
   * For what the API answers. Clients must put up with fields that are added one day, so the document leaves responses
   * open; here they are closed, so that a test notices an undocumented field.
   */
  static ofResponses(document: OpenApiDocument): Schemas {
    return new Schemas(document, (schema) => closed(withLocalReferences(schema)), SHOWN_FORMATS);
  }

  /** @returns what is wrong, undefined when nothing is */
  fault(schema: JsonSchema, value: unknown): string | undefined {
    let validate = this.compiled.get(schema);
    if (!validate) {
      validate = this.ajv.compile(this.prepare(schema));
      this.compiled.set(schema, validate);
    }
    if (validate(value)) return undefined;
    return this.ajv.errorsText(validate.errors, { dataVar: '', separator: '\n' }) + extras(validate);
  }
}

/** Ajv says that there is a property too many, not which. */
function extras({ errors }: ValidateFunction): string {
  const names = (errors ?? []).flatMap(
    ({ params }) => (params as { additionalProperty?: string }).additionalProperty ?? [],
  );
  return names.length > 0 ? ` (${names.join(', ')})` : '';
}

/** Walks a schema: data in it (examples and the like) has no keywords that matter here. */
function mapped(node: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(node)) return node.map((each) => mapped(each, change));
  if (typeof node !== 'object' || node === null) return node;
  return change(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapped(value, change)])));
}

function withLocalReferences(schema: JsonSchema): JsonSchema {
  const local = ({ $ref, ...rest }: JsonSchema) =>
    typeof $ref === 'string' ? { ...rest, $ref: $ref.replace('#/components/schemas/', '') } : { ...rest };
  return mapped(schema, local) as JsonSchema;
}

/** Alone or among others, as in `['object', 'null']`. */
function isObject({ type }: JsonSchema): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function closed(schema: JsonSchema): JsonSchema {
  return mapped(schema, (each) =>
    isObject(each) && each.properties && each.additionalProperties === undefined
      ? { ...each, additionalProperties: false }
      : each,
  ) as JsonSchema;
}
