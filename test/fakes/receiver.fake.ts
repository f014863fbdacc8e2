import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { EventPayload } from '#contracts';
import { eventually } from '../support/eventually';
import { lastingPort } from '../support/lasting-port';
import { fakeStarted } from './started-fakes';

/** Lets a gateway post to receivers on this machine. */
export const LOCAL_RECEIVERS = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

/** One POST as it arrived. */
export interface ReceivedPost {
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body, which the signature covers. */
  raw: string;
  event: EventPayload;
  /** Arrival time, by `performance.now()`. */
  at: number;
}

/** The receiver's answer to a post: a status, or a function that may do anything. */
export type Reaction = number | ((request: IncomingMessage, response: ServerResponse, post: ReceivedPost) => void);

/** A webhook receiver: a real server on 127.0.0.1 that records every post and reacts as `react` tells it. */
export class ReceiverFake {
  readonly posts: ReceivedPost[] = [];
  private readonly reactions = new Map<string, Reaction>();
  private server?: Server;
  private port = 0;

  async start(wanted = this.port): Promise<this> {
    const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => void this.receive(req, res));
    const port = wanted || (await lastingPort());
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    this.port = port;
    this.server = server;
    fakeStarted(this, () => this.stop());
    return this;
  }

  /** Breaks every connection. The recorded posts stay. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** @param path tells apart several endpoints on this server */
  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Sets the reaction to posts to a path; 200 by default. */
  react(reaction: Reaction, path = '/'): void {
    this.reactions.set(path, reaction);
  }

  postsTo(path = '/'): ReceivedPost[] {
    return this.posts.filter((post) => post.path === path);
  }

  /** Waits until `count` posts have arrived at a path. */
  received(count: number, path = '/', timeoutMs = 10_000): Promise<ReceivedPost[]> {
    const look = (): ReceivedPost[] => {
      const posts = this.postsTo(path);
      if (posts.length < count)
        throw new Error(`${posts.length} arrived: ${posts.map(({ event }) => event.type).join()}`);
      return posts;
    };
    return eventually(`${count} posts arrive at ${path}`, look, { timeoutMs, everyMs: 5 });
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '/';
    const post = { path, headers: request.headers, raw, event: JSON.parse(raw) as EventPayload, at: performance.now() };
    this.posts.push(post);
    const reaction = this.reactions.get(path) ?? 200;
    if (typeof reaction === 'number') response.writeHead(reaction).end('noted');
    else reaction(request, response, post);
  }
}
