import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';
import { ERROR_CODES } from './api-errors.decorator';
import { REQUEST_EXAMPLES, type RequestExamples } from './api-examples.decorator';
import { ERROR_EXAMPLES, ERROR_SCHEMAS, errorResponses } from './error-responses';
import { exampleOf } from './example-of';
import { closeSchema, componentOf, toJsonSchema, type JsonSchema } from './json-schema';
import { HEADERS, headersOf } from './response-headers';

/** What of an operation is completed here. */
interface Operation {
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
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

/** Codes that any operation under /api may answer with. */
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
 * Adds to a document what follows from what the handlers declare: how each operation fails, the headers of its answers,
 * examples.
 */
export function completeDocument(written: OpenAPIObject): OpenAPIObject {
  const document = toJsonSchema(written);
  const schemas = { ...document.components?.schemas, ...ERROR_SCHEMAS } as Schemas;
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
  return document;
}

function completeOperation(operation: Operation, schemas: Schemas): void {
  operation.parameters?.forEach(hoistExample);
  completeBody(operation, schemas);
  for (const response of Object.values(operation.responses)) {
    const success = response.content?.[JSON_TYPE];
    if (success) success.example = exampleOf(success.schema, schemas);
  }
  // Said outright: a document without it leaves open whether it was forgotten.
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
}

/** What a path parameter looks like is said of the parameter; `@ApiParam` takes an example only of its schema. */
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
