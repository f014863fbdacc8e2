import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { lastingPort } from '../support/lasting-port';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** `performance.now()` */
  at: number;
}

/** What happens to one request. */
export type Reaction = (response: ServerResponse, request: SeenRequest) => void;

/** Answers with a body. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Reaction {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export const meta = { request_id: 'req_1', timestamp: '2026-01-31T12:00:00.000Z' };
export const ok = (data: unknown = {}) => answer(200, { success: true, data, meta });
export const failed = (status: number, code: string, details: unknown = null, headers: Record<string, string> = {}) =>
  answer(status, { success: false, error: { code, message: 'No.', details }, meta }, headers);

/** The connection breaks without an answer. */
export const broken: Reaction = (response) => response.destroy();
/** Nothing comes. */
export const silent: Reaction = () => undefined;

/** A server on 127.0.0.1 that does as it is told with one request after the other, and answers all others well. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  private script: Reaction[] = [];
  private port = 0;
  private server: Server | undefined;

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const seen = { method, url, headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
        this.requests.push(seen);
        (this.script.shift() ?? ok())(response, seen);
      });
    });
    this.port ||= await lastingPort();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.port, '127.0.0.1', resolve));
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Begins anew: nothing was seen, and this is what happens to the next requests. */
  will(...script: Reaction[]): void {
    this.requests.length = 0;
    this.script = script;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
}
