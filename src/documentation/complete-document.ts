import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';
import { ERROR_SCHEMA, errorResponses } from './error-responses';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Codes that any operation may answer with. */
const COMMON: readonly ErrorCode[] = [
  'INVALID_API_KEY',
  'API_KEY_EXPIRED',
  'INSUFFICIENT_PERMISSIONS',
  'IP_NOT_ALLOWED',
  'INVALID_REQUEST',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
];

const header = (description: string) => ({ description, schema: { type: 'integer' } });
const LIMIT_HEADERS = {
  'X-Request-Id': { description: 'The id of the request, as in `meta.request_id`.', schema: { type: 'string' } },
  'X-RateLimit-Limit': header('Requests allowed in the tighter window.'),
  'X-RateLimit-Remaining': header('Requests left in it.'),
  'X-RateLimit-Reset': header('Unix seconds from which one more request fits.'),
};

/** Adds to a document what is the same for every operation: how it fails, and the headers of its answers. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components };
  document.components.schemas = { ...document.components.schemas, Error: ERROR_SCHEMA as never };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation) completeOperation(operation, path);
    }
  }
  return document;
}

function completeOperation(operation: Operation, path: string): void {
  const [, controller, handler] = /^(\w+)Controller_(\w+?)(?:_v\d+)?$/.exec(operation.operationId ?? '') ?? [];
  if (controller && handler) operation.operationId = `${controller[0]!.toLowerCase()}${controller.slice(1)}.${handler}`;
  for (const response of Object.values(operation.responses)) {
    if (response && !('$ref' in response)) response.headers = { ...LIMIT_HEADERS, ...response.headers } as never;
  }
  operation.responses = { ...errorResponses(codesOf(operation, path)), ...operation.responses } as never;
}

function codesOf(operation: Operation, path: string): ErrorCode[] {
  const codes: ErrorCode[] = [...COMMON];
  const hasInput = operation.requestBody !== undefined || (operation.parameters?.length ?? 0) > 0;
  if (hasInput) codes.push('INVALID_PARAMETER');
  if (operation.requestBody !== undefined) codes.push('MISSING_PARAMETER');
  if (path.includes('{')) codes.push('RESOURCE_NOT_FOUND');
  if (/\/(send|reconnect)$/.test(path)) codes.push('PLATFORM_NOT_CONNECTED');
  if (path.endsWith('/ai/generate')) codes.push('AI_PROVIDER_ERROR');
  return codes;
}
