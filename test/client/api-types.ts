import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTypescript, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { AppModule } from '../../src/app.module';
import { addressRoutes } from '../../src/app.setup';
import { loadConfiguration } from '../../src/core/config/load-configuration';
import { createDocument } from '../../src/core/openapi/documentation';

interface ApiResponse {
  headers?: unknown;
  content?: Record<string, { example?: unknown; examples?: unknown }>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The gateway's OpenAPI document. Nothing is started for it: in Nest's preview mode, modules are only read. */
export async function apiDocument(): Promise<OpenAPIObject> {
  const module = AppModule.forRoot(loadConfiguration({}), 'postgres://preview');
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  addressRoutes(app);
  return createDocument(app);
}

/** Each operation that the client has to have: its id, and its method and path, `GET /api/v1/messages`. */
export function operationsOf(document: OpenAPIObject): { id: string; operation: string }[] {
  const operations = Object.entries(apiPaths(document)).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      id: item[method]!.operationId!,
      operation: `${method.toUpperCase()} ${path}`,
    })),
  );
  // The one operation without a key is the dashboard's.
  return operations.filter(({ id }) => id !== 'dashboard.exchange');
}

/** The text of libs/client/api-types.ts. */
export async function apiTypes(document: OpenAPIObject): Promise<string> {
  const nodes = await openapiTypescript(JSON.stringify(relevant(document)), {
    // A request may leave out what has a default.
    defaultNonNullable: false,
  });
  return `${COMMENT_HEADER}${astToString(nodes)}`;
}

/**
 * Without what the client does not read: errors have their types in libs/contracts, headers and examples are no part of
 * a result.
 */
function relevant(document: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  copy.paths = apiPaths(copy);
  for (const item of Object.values(copy.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      operation.responses = Object.fromEntries(successes) as typeof operation.responses;
      for (const [, response] of successes) dropExtras(response as ApiResponse);
    }
  }
  const { schemas } = copy.components!;
  copy.components = { schemas };
  return copy;
}

function dropExtras(response: ApiResponse): void {
  delete response.headers;
  for (const media of Object.values(response.content ?? {})) {
    delete media.example;
    delete media.examples;
  }
}

/** Health checks and the like are for machines without a key. */
function apiPaths({ paths }: OpenAPIObject): OpenAPIObject['paths'] {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/api/')));
}
