import type { JsonSchema } from '../../src/core/openapi/json-schema';

/** What the tests read of an OpenAPI document. */
export interface OpenApiDocument {
  openapi: string;
  info: { version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, HeaderObject>;
    examples: Record<string, ExampleObject>;
  };
}

export interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: ParameterObject[];
  requestBody?: { required?: boolean; content: Record<string, MediaTypeObject> };
  responses: Record<string, ResponseObject>;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject | { $ref: string }>;
  content?: Record<string, MediaTypeObject>;
}

export interface MediaTypeObject {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, ExampleObject | { $ref: string }>;
}

export interface HeaderObject {
  description: string;
  required?: boolean;
  schema: JsonSchema;
}

export interface ExampleObject {
  summary?: string;
  value: unknown;
}

/** An operation with its place. */
export interface Operation extends OperationObject {
  method: string;
  path: string;
}

/** Every operation of a document. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Test keys do not reach these: backups hold the data of both environments, and the sandbox answers without a provider. */
export const isForLiveKeys = ({ path }: Operation): boolean =>
  ['/api/v1/admin/backups', '/api/v1/ai/providers'].some((start) => path.startsWith(start));

/** What a reference leads to; what is none is returned as it is. */
export function resolve<T extends object>(document: OpenApiDocument, node: T | { $ref: string }): T {
  if (!('$ref' in node)) return node;
  const steps = node.$ref.slice('#/'.length).split('/');
  return steps.reduce<unknown>((place, step) => (place as Record<string, unknown>)[step], document) as T;
}

/** The examples of a body, by name. */
export function examplesOf(
  document: OpenApiDocument,
  { example, examples = {} }: MediaTypeObject,
): [string, unknown][] {
  const named = Object.entries(examples).map(
    ([name, each]) => [name, resolve(document, each).value] as [string, unknown],
  );
  return example === undefined ? named : [['example', example], ...named];
}
