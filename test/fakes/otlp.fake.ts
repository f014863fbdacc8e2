import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { lastingPort } from '../support/lasting-port';
import { fakeStarted } from './started-fakes';

/** An attribute in OTLP's JSON encoding: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'resource'> & { attributes: KeyValue[] })[] }[];
  }[];
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attributes;
  resource: Attributes;
}

/** A trace receiver: a real HTTP server that accepts OTLP in JSON. */
export class OtlpFake {
  readonly spans: ReceivedSpan[] = [];
  /** The headers of each request. */
  readonly headers: IncomingMessage['headers'][] = [];
  private server?: Server;
  url = '';

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.receive(request, response));
    const port = await lastingPort();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    this.server = server;
    this.url = `http://127.0.0.1:${port}`;
    fakeStarted(this, () => this.stop());
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (!isTraces || request.headers['content-type'] !== 'application/json') {
      response.writeHead(404).end();
      return;
    }
    this.headers.push(request.headers);
    this.keep(JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  private keep({ resourceSpans }: ExportRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { spans } of scopeSpans) {
        for (const span of spans) {
          this.spans.push({
            ...span,
            attributes: valuesOf(span.attributes),
            resource: valuesOf(resource.attributes),
          });
        }
      }
    }
  }
}

function valuesOf(attributes: readonly KeyValue[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}
