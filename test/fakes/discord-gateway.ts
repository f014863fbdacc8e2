import { WebSocketServer, type WebSocket } from 'ws';
import { lastingPort } from '../support/lasting-port';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11 } as const;

export interface GatewayEvent {
  t: string;
  s: number;
  d: Record<string, unknown>;
}

/** The state of one identified client, which outlives its socket. */
export interface GatewaySession {
  id: string;
  /** All events so far, for replay after a Resume. */
  events: GatewayEvent[];
  /** The highest sequence number in a heartbeat or a Resume. */
  confirmed: number;
  socket: WebSocket | undefined;
}

interface Frame {
  op: number;
  d: unknown;
}

export interface GatewayParts {
  /** Whether the token of an Identify or a Resume is the bot's. */
  accepts: (token: unknown) => boolean;
  ready: () => Record<string, unknown>;
  /** Sent one by one after READY. */
  guilds: () => readonly Record<string, unknown>[];
  changed: () => void;
}

/** Plays Discord's gateway: https://discord.com/developers/docs/events/gateway */
export class DiscordGatewayFake {
  /** Milliseconds. Discord's own value. */
  heartbeatMs = 41_250;
  /** If set, the fake answers an Identify by closing the connection with this code. */
  refusesWith: number | undefined;
  readonly sessions: GatewaySession[] = [];
  /** Every Identify and Resume, in order. */
  readonly log: { op: 'identify' | 'resume'; intents?: number; seq?: number }[] = [];
  heartbeats = 0;
  readonly #dead = new WeakSet<WebSocket>();
  #server: WebSocketServer | undefined;
  #port = 0;
  #made = 0;

  constructor(private readonly parts: GatewayParts) {}

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  get connections(): number {
    return this.#server?.clients.size ?? 0;
  }

  async start(): Promise<void> {
    this.#port ||= await lastingPort();
    const server = new WebSocketServer({ host: '127.0.0.1', port: this.#port });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).once('listening', resolve);
    });
    server.on('connection', (socket) => this.#serve(socket));
    this.#server = server;
  }

  /** Breaks every connection without a close frame. Keeps the sessions. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.drop();
    for (const client of server.clients) client.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Sends an event to every session: now, or when it resumes. */
  dispatch(t: string, d: Record<string, unknown>): void {
    for (const session of this.sessions) this.#send(session, t, d);
    this.parts.changed();
  }

  /** Sends raw texts to every connection. */
  write(...texts: string[]): void {
    for (const { socket } of this.sessions) for (const text of texts) socket?.send(text);
  }

  /** Asks every connection to reconnect and resume, as Discord does every few hours. */
  askToReconnect(): void {
    for (const { socket } of this.sessions) if (socket) frame(socket, { op: OP.reconnect, d: null });
  }

  /** Asks every connection for a heartbeat. A client must send it at once. */
  askForHeartbeat(): void {
    for (const { socket } of this.sessions) if (socket) frame(socket, { op: OP.heartbeat, d: null });
  }

  /** Closes every connection with a code. */
  close(code: number): void {
    for (const { socket } of this.sessions) socket?.close(code);
  }

  /** Breaks every connection without a close frame. */
  drop(): void {
    for (const session of this.sessions) {
      session.socket?.terminate();
      session.socket = undefined;
    }
  }

  /** Every connection stays open but dead: the fake neither sends nor reads on it. */
  hang(): void {
    for (const session of this.sessions) {
      if (session.socket) this.#dead.add(session.socket);
      session.socket = undefined;
    }
  }

  /** Forgets all sessions. Connected clients learn it at once, the others when they resume. */
  invalidate(): void {
    for (const { socket } of this.sessions.splice(0)) if (socket) frame(socket, { op: OP.invalid, d: false });
  }

  /** Tells connected clients that their session is invalid but can be resumed. */
  interrupt(): void {
    for (const { socket } of this.sessions) if (socket) frame(socket, { op: OP.invalid, d: true });
  }

  /** The number of events of a type that a client has not confirmed; the highest of all sessions. */
  unconfirmed(t: string): number {
    const counts = this.sessions.map(
      ({ events, confirmed }) => events.filter((event) => event.t === t && event.s > confirmed).length,
    );
    return Math.max(0, ...counts);
  }

  #serve(socket: WebSocket): void {
    socket.on('message', (data: Buffer) => this.#receive(socket, JSON.parse(data.toString('utf8')) as Frame));
    socket.on('close', (code) => this.#closed(socket, code));
    frame(socket, { op: OP.hello, d: { heartbeat_interval: this.heartbeatMs } });
  }

  #closed(socket: WebSocket, code: number): void {
    const index = this.sessions.findIndex((session) => session.socket === socket);
    const session = this.sessions[index];
    if (session) session.socket = undefined;
    // A client that closes with 1000 or 1001 ends its session.
    if (session && (code === 1000 || code === 1001)) this.sessions.splice(index, 1);
    this.parts.changed();
  }

  #receive(socket: WebSocket, { op, d }: Frame): void {
    if (this.#dead.has(socket)) return;
    if (op === OP.heartbeat) this.#heartbeat(socket, d as number | null);
    else if (op === OP.identify) this.#identify(socket, d as { token: unknown; intents: number });
    else if (op === OP.resume) this.#resume(socket, d as { token: unknown; session_id: string; seq: number });
    else socket.close(4001);
    this.parts.changed();
  }

  #heartbeat(socket: WebSocket, sequence: number | null): void {
    this.heartbeats += 1;
    const session = this.sessions.find((candidate) => candidate.socket === socket);
    if (session && sequence !== null) session.confirmed = Math.max(session.confirmed, sequence);
    frame(socket, { op: OP.ack, d: null });
  }

  #identify(socket: WebSocket, { token, intents }: { token: unknown; intents: number }): void {
    this.log.push({ op: 'identify', intents });
    if (!this.parts.accepts(token)) return socket.close(4004);
    if (this.refusesWith !== undefined) return socket.close(this.refusesWith);
    const session: GatewaySession = { id: `session-${(this.#made += 1)}`, events: [], confirmed: 0, socket };
    this.sessions.push(session);
    const ready = { v: 10, guilds: [], session_id: session.id, resume_gateway_url: this.url, ...this.parts.ready() };
    this.#send(session, 'READY', ready);
    for (const guild of this.parts.guilds()) this.#send(session, 'GUILD_CREATE', guild);
  }

  #resume(socket: WebSocket, { token, session_id, seq }: { token: unknown; session_id: string; seq: number }): void {
    this.log.push({ op: 'resume', seq });
    if (!this.parts.accepts(token)) return socket.close(4004);
    const session = this.sessions.find(({ id }) => id === session_id);
    if (!session) return frame(socket, { op: OP.invalid, d: false });
    session.socket = socket;
    session.confirmed = Math.max(session.confirmed, seq);
    for (const event of session.events.filter(({ s }) => s > seq)) frame(socket, { op: OP.dispatch, ...event });
    this.#send(session, 'RESUMED', {});
  }

  #send(session: GatewaySession, t: string, d: Record<string, unknown>): void {
    const event = { t, s: (session.events.at(-1)?.s ?? 0) + 1, d };
    session.events.push(event);
    if (session.socket) frame(session.socket, { op: OP.dispatch, ...event });
  }
}

function frame(socket: WebSocket, payload: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
}
