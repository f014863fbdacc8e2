import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { JsonSchema } from '../../src/core/openapi/json-schema';
import { operationsOf, resolve, type MediaTypeObject, type OpenApiDocument, type Operation } from './document';
import { Schemas } from './schemas';

/** One request and its answer, as far as the document speaks of it. */
export interface Exchange {
  method: string;
  /** With or without its query. */
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed where it is JSON, else the text. */
  body: unknown;
}

/** Statuses of what belongs to no operation: an unknown route, and what is refused before routes are looked at. */
const WITHOUT_OPERATION = new Set([400, 404]);
const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The document as a contract: whatever the API answers must be in it. */
export class Contract {
  private readonly operations: { operation: Operation; pattern: RegExp }[];
  private readonly schemas: Schemas;

  constructor(readonly document: OpenApiDocument) {
    this.schemas = Schemas.ofResponses(document);
    this.operations = operationsOf(document)
      .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
      // A literal segment goes before a parameter, as in the router.
      .toSorted((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);
  }

  operationOf(method: string, path: string): Operation | undefined {
    const [pathname] = path.split('?') as [string];
    return this.operations.find(({ operation, pattern }) => operation.method === method && pattern.test(pathname))
      ?.operation;
  }

  /** @throws Error that says in what the answer differs from the document */
  check(exchange: Exchange): void {
    const fault = this.fault(exchange);
    if (fault === undefined) return;
    const { method, path, status, body } = exchange;
    throw new Error(
      `${method} ${path.slice(0, 300)} answered ${status}, not as documented: ${fault}\n${JSON.stringify(body)?.slice(0, 2_000)}`,
    );
  }

  private fault(exchange: Exchange): string | undefined {
    const { method, path, status, headers } = exchange;
    const operation = this.operationOf(method, path);
    if (!operation) return this.faultWithoutOperation(exchange);
    const response = operation.responses[String(status)];
    if (!response) return `${operation.operationId} has no response ${status}`;
    const missing = Object.entries(response.headers ?? {})
      .filter(([, header]) => resolve(this.document, header).required)
      .map(([name]) => name.toLowerCase())
      .concat(operation.security!.length > 0 && wasAdmitted(exchange) ? LIMIT_HEADERS : [])
      .filter((name) => headers[name] === undefined);
    if (missing.length > 0) return `${missing.join(', ')} missing`;
    const mediaType = mediaTypeOf(exchange);
    // The bytes of a file.
    if (response.content?.['*/*'] || status === 304) return undefined;
    const content = response.content?.[mediaType];
    if (!content) return `${operation.operationId} has no ${mediaType} for ${status}`;
    return this.bodyFault(exchange, mediaType, content);
  }

  private faultWithoutOperation(exchange: Exchange): string | undefined {
    if (!WITHOUT_OPERATION.has(exchange.status)) return 'it has no such operation';
    if (mediaTypeOf(exchange) !== 'application/json') return 'an error is JSON';
    return this.jsonFault({ $ref: '#/components/schemas/Error' }, exchange);
  }

  private bodyFault(exchange: Exchange, mediaType: string, { schema }: MediaTypeObject): string | undefined {
    if (mediaType === 'application/json') return this.jsonFault(schema, exchange);
    if (exchange.method === 'GET') return this.streamFault(exchange, schema);
    const events = eventsOf(String(exchange.body));
    const names = { delta: 'GenerateDelta', result: 'GenerateResult', error: 'Error' };
    for (const [index, { event = '', data }] of events.entries()) {
      const name = names[event as keyof typeof names];
      if (!name) return `the event ${event} is not documented`;
      if ((event === 'delta') === (index === events.length - 1))
        return `${event} is event ${index} of ${events.length}`;
      const fault = this.jsonFault({ $ref: `#/components/schemas/${name}` }, { ...exchange, body: JSON.parse(data) });
      if (fault !== undefined) return `${event}: ${fault}`;
    }
    return undefined;
  }

  /** Of a stream that does not end by itself. */
  private streamFault({ body }: Exchange, schema: JsonSchema): string | undefined {
    const data = schema['contentSchema'] as JsonSchema;
    return eventsOf(String(body))
      .map((event) => this.schemas.fault(data, JSON.parse(event.data)))
      .find((fault) => fault !== undefined);
  }

  private jsonFault(schema: MediaTypeObject['schema'], { headers, body }: Exchange): string | undefined {
    const fault = this.schemas.fault(this.interned(schema), body);
    if (fault !== undefined) return fault;
    const { meta } = body as { meta?: { request_id: string } };
    if (meta && meta.request_id !== headers['x-request-id']) return 'X-Request-Id is not meta.request_id';
    return undefined;
  }

  /** One schema object per reference, so that it is compiled once. */
  private interned(schema: MediaTypeObject['schema']): MediaTypeObject['schema'] {
    return schema.$ref ? resolve(this.document, schema as { $ref: string }) : schema;
  }
}

/** Whether the request must have come past its key; an unknown route, or a malformed one, is told to everybody. */
function wasAdmitted({ status, body }: Exchange): boolean {
  const { error } = body as { error?: { details: { resource?: string } | null } };
  return status < 400 || (status === 404 && error?.details?.resource !== 'route');
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function mediaTypeOf({ headers }: Exchange): string {
  return String(headers['content-type'] ?? 'nothing')
    .split(';')[0]!
    .trim();
}

function eventsOf(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => void events.push(event) }).feed(text);
  return events;
}
