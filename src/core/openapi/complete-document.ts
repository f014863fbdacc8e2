import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';
import { ERROR_EXAMPLES, ERROR_SCHEMAS, errorResponses } from './error-responses';
import { exampleOf } from './example-of';
import { FIELD_SCHEMA } from './field-schema';
import { documentEvents, GENERATE_DELTA } from './generate-events';
import { closeSchema, componentOf, toJsonSchema, type JsonSchema } from './json-schema';
import { PATH_PARAMETERS } from './path-parameters';
import { REQUEST_EXAMPLES } from './request-examples';
import { HEADERS, headersOf } from './response-headers';

/** What of an operation is completed here. */
interface Operation {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string; [field: string]: unknown }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Response>;
}

interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, object>;
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

/** Adds to a document what is the same for every operation: how it fails, the headers of its answers, examples. */
export function completeDocument(written: OpenAPIObject): OpenAPIObject {
  const document = toJsonSchema(written);
  const schemas = {
    ...document.components?.schemas,
    ...ERROR_SCHEMAS,
    GenerateDelta: GENERATE_DELTA,
    FieldSchemaDto: FIELD_SCHEMA,
  } as Schemas;
  document.components = {
    ...document.components,
    schemas,
    headers: HEADERS,
    examples: ERROR_EXAMPLES,
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (operation) completeOperation(operation, path, schemas);
    }
  }
  return document;
}

function completeOperation(operation: Operation, path: string, schemas: Schemas): void {
  const [, controller, handler] = /^(\w+)Controller_(\w+?)(?:_v\d+)?$/.exec(operation.operationId) ?? [];
  if (controller && handler) operation.operationId = `${controller[0]!.toLowerCase()}${controller.slice(1)}.${handler}`;
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === 'path') Object.assign(parameter, PATH_PARAMETERS[parameter.name]);
  }
  completeBody(operation, schemas);
  for (const response of Object.values(operation.responses)) {
    const success = response.content?.[JSON_TYPE];
    if (success) success.example = exampleOf(success.schema, schemas);
  }
  if (operation.operationId === 'ai.generate') documentEvents(operation.responses['200']!.content!, schemas);
  // Said outright: a document without it leaves open whether it was forgotten.
  operation.security ??= [];
  Object.assign(operation.responses, errorResponses(codesOf(operation, path, schemas)));
  const replays = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  for (const [status, response] of Object.entries(operation.responses)) {
    response.headers = headersOf(Number(status), { authenticated: operation.security.length > 0, replays });
  }
}

function completeBody(operation: Operation, schemas: Schemas): void {
  const body = operation.requestBody?.content[JSON_TYPE];
  if (!body) return;
  closeSchema(body.schema, schemas);
  body.examples = REQUEST_EXAMPLES[operation.operationId];
}

function codesOf(operation: Operation, path: string, schemas: Schemas): ErrorCode[] {
  if (operation.security!.length === 0) return ['INVALID_REQUEST'];
  const codes: ErrorCode[] = [...COMMON];
  const body = operation.requestBody?.content[JSON_TYPE]?.schema.$ref;
  if (body && schemas[componentOf(body)]!.required) codes.push('MISSING_PARAMETER');
  // A live key does not find the sandbox.
  if (path.includes('{') || path.endsWith('/sandbox/inbound')) codes.push('RESOURCE_NOT_FOUND');
  if (/\/(send|reconnect)$/.test(path)) codes.push('PLATFORM_NOT_CONNECTED');
  if (path.endsWith('/ai/generate')) codes.push('AI_PROVIDER_ERROR');
  return codes;
}
