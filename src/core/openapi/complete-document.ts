import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';
import { REQUIRED_SCOPE } from '../http/access.decorator';
import { ERROR_CODES } from './api-errors.decorator';
import { REQUEST_EXAMPLES, type RequestExamples } from './api-examples.decorator';
import { ERROR_EXAMPLES, ERROR_SCHEMAS, errorResponses } from './error-responses';
import { exampleOf } from './example-of';
import { EVENT_WEBHOOKS } from './event-webhooks';
import { closeSchema, componentOf, toJsonSchema, withSchemaNames, type JsonSchema } from './json-schema';
import { isNeverEmpty } from './never-empty.decorator';
import { HEADERS, headersOf } from './response-headers';

/** The fields of an operation that `completeDocument` changes. */
interface Operation {
  description?: string;
  [REQUIRED_SCOPE]?: string | string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response>;
  [ERROR_CODES]?: ErrorCode[];
  [REQUEST_EXAMPLES]?: RequestExamples;
}

interface Parameter {
  name: string;
  in: string;
  schema: JsonSchema;
  example?: unknown;
}

interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: RequestExamples;
}

interface Response {
  headers?: object;
  content?: Record<string, MediaType>;
}

type Schemas = Record<string, JsonSchema>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const JSON_TYPE = 'application/json';

/** Codes of every operation under /api. */
const COMMON: readonly ErrorCode[] = [
  'INVALID_API_KEY',
  'API_KEY_EXPIRED',
  'INSUFFICIENT_PERMISSIONS',
  'IP_NOT_ALLOWED',
  'INVALID_REQUEST',
  'INVALID_PARAMETER',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
];

/**
 * Completes a document from the handlers' declarations: the errors of each operation, the headers of its answers, examples,
 * and the events that the gateway posts to receivers.
 */
export function completeDocument(written: OpenAPIObject): OpenAPIObject {
  const document = toJsonSchema(written);
  const schemas = { ...document.components?.schemas, ...ERROR_SCHEMAS } as Schemas;
  for (const [name, schema] of Object.entries(schemas)) if (isNeverEmpty(name)) schema.minProperties = 1;
  document.components = {
    ...document.components,
    schemas,
    headers: HEADERS,
    examples: ERROR_EXAMPLES,
  };
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (operation) completeOperation(operation, schemas);
    }
  }
  return withSchemaNames(Object.assign(document, { webhooks: EVENT_WEBHOOKS }));
}

function completeOperation(operation: Operation, schemas: Schemas): void {
  operation.parameters?.forEach(hoistExample);
  completeBody(operation, schemas);
  describeScope(operation);
  for (const response of Object.values(operation.responses)) {
    const success = response.content?.[JSON_TYPE];
    if (success) success.example = exampleOf(success.schema, schemas);
  }
  // An explicit empty list: a reader must be able to tell a public operation from a forgotten declaration.
  operation.security ??= [];
  Object.assign(operation.responses, errorResponses(codesOf(operation, schemas)));
  const replays = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  for (const [status, response] of Object.entries(operation.responses)) {
    response.headers = headersOf(Number(status), { authenticated: operation.security.length > 0, replays });
  }
}

function completeBody(operation: Operation, schemas: Schemas): void {
  const { [REQUEST_EXAMPLES]: examples } = operation;
  delete operation[REQUEST_EXAMPLES];
  const body = operation.requestBody?.content[JSON_TYPE];
  if (!body) return;
  closeSchema(body.schema, schemas);
  body.examples = examples;
  const { required = [], minProperties = 0 } = body.schema.$ref ? schemas[componentOf(body.schema.$ref)]! : body.schema;
  // An empty body counts as an empty object.
  operation.requestBody!.required = required.length > 0 || minProperties !== 0;
}

function describeScope(operation: Operation): void {
  const scopes = [operation[REQUIRED_SCOPE] ?? []].flat();
  if (scopes.length === 0) return;
  const names = scopes.map((scope) => `\`${scope}\``).join(' or ');
  operation.description = [operation.description, `Scope: ${names}.`].filter(Boolean).join('\n\n');
}

/** Moves the example of a path parameter from its schema to the parameter; `@ApiParam` accepts it only in the schema. */
function hoistExample(parameter: Parameter): void {
  if (parameter.in !== 'path') return;
  const { example, ...schema } = parameter.schema;
  Object.assign(parameter, { schema, example });
}

function codesOf(operation: Operation, schemas: Schemas): ErrorCode[] {
  const { security, parameters, requestBody, [ERROR_CODES]: declared = [] } = operation;
  delete operation[ERROR_CODES];
  if (security!.length === 0) return ['INVALID_REQUEST', ...declared];
  const body = requestBody?.content[JSON_TYPE]?.schema.$ref;
  const isLackable = body !== undefined && schemas[componentOf(body)]!.required !== undefined;
  const namesResource = parameters?.some((parameter) => parameter.in === 'path');
  return [
    ...COMMON,
    ...(isLackable ? (['MISSING_PARAMETER'] as const) : []),
    ...(namesResource ? (['RESOURCE_NOT_FOUND'] as const) : []),
    ...declared,
  ];
}
