import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKey } from '../../../src/api-keys/key-format';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { RawClient } from '../../support/raw-client';

export interface Target {
  origin: string;
  /** A key with low rate limits. */
  weakKey: string;
  /** A key without the scopes for its requests. */
  refusedKey: string;
  /** A conversation with long messages. */
  conversation: string;
  /** An event from before the long messages. */
  firstEvent: string;
  /** A key of the test environment that may make backups and replays. */
  operatorKey: string;
  /** Webhooks whose receivers never answer. */
  hangingWebhooks: readonly string[];
}

/** Number of attacker addresses, from 127.0.9.1 on. */
export const ADDRESSES = 8;
const MEBIBYTE = 1_048_576;
const SPACES = Buffer.alloc(4 * MEBIBYTE, ' ');
/** Pause of an attacker between two requests, in milliseconds. */
const PAUSE_MS = 250;
const DRIP_MS = 500;
/** An attacker disconnects after this time if the gateway does not, in milliseconds. */
const CONNECTION_MS = 30_000;

interface Kind {
  /** Concurrent clients. */
  clients: number;
  /** Sends everything that one connection sends. */
  attack: (client: RawClient, target: Target) => Promise<void> | void;
  /** Whether the client reads answers; true by default. */
  reads?: boolean;
  /** Whether the client disconnects after `attack`. Otherwise it holds its connection open. */
  leaves?: boolean;
}

const get = (path: string, key: string) => [
  `GET ${path} HTTP/1.1`,
  'Host: gateway',
  `Authorization: Bearer ${key}`,
  '',
  '',
];
const post = (path: string, length: number, ...headers: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway',
  'Content-Type: application/json',
  `Content-Length: ${length}`,
  ...headers,
  '',
  '',
];
/** Builds and signs callbacks. It is never started. */
const whatsapp = new WhatsAppFake();
const STRANGER = { from: '4917000001' };
const signed = (message: Record<string, unknown>) => {
  const body = JSON.stringify(whatsapp.notification(whatsapp.messageValue(message, STRANGER)));
  const headers = [`X-Hub-Signature-256: ${whatsapp.sign(body)}`];
  return [...post('/callbacks/whatsapp', Buffer.byteLength(body), ...headers), body];
};
const FORM_REPLY = JSON.stringify({ lists: Array.from({ length: 100_000 }, () => []) });
const EDITED = 'wamid.of-another-person';
const bearer = (key: string) => `Authorization: Bearer ${key}`;

const KINDS: Readonly<Record<string, Kind>> = {
  'half-open': { clients: 20, attack: () => undefined },
  'dripped headers': {
    clients: 20,
    attack: (client, { weakKey }) => drip(client, get('/api/v1/messages', weakKey).join('\r\n')),
  },
  'held bodies': {
    clients: 20,
    attack: (client, { weakKey }) => void client.write(...post('/api/v1/messages/send', 100, bearer(weakKey)), '{'),
  },
  'slow readers': {
    clients: 20,
    reads: false,
    attack: (client, { weakKey, conversation }) =>
      void client.write(
        ...get(`/api/v1/conversations/${conversation}?include_messages=true&message_limit=100`, weakKey),
      ),
  },
  'readers that end their side': {
    clients: 2,
    reads: false,
    attack: async (client, { weakKey, conversation }) => {
      client.write(...get(`/api/v1/conversations/${conversation}?include_messages=true&message_limit=100`, weakKey));
      client.socket.end();
      await sleep(1_000);
    },
    leaves: true,
  },
  'unknown keys': {
    clients: 10,
    attack: (client) => repeat(client, () => get(`/api/v1/messages?page=${randomInt(1_000)}`, generateKey('test'))),
  },
  'unknown routes': {
    clients: 5,
    attack: (client) => repeat(client, () => get(`/api/v1/${randomBytes(8).toString('hex')}`, generateKey('live'))),
  },
  'callbacks of nothing': {
    clients: 2,
    attack: async (client) => {
      client.write(...post(`/callbacks/${randomBytes(4).toString('hex')}`, SPACES.length)).socket.write(SPACES);
      await sleep(2_000);
    },
    leaves: true,
  },
  'large bodies': {
    clients: 2,
    attack: async (client, { weakKey }) => {
      client
        .write(...post('/api/v1/messages/send', MEBIBYTE, bearer(weakKey)))
        .socket.write(SPACES.subarray(0, MEBIBYTE));
      await sleep(2_000);
    },
    leaves: true,
  },
  'parser refusals': {
    clients: 5,
    attack: async (client) => {
      client.write('nonsense\r\n\r\n');
      await sleep(500);
    },
  },
  'resumed streams': {
    clients: 10,
    reads: false,
    attack: (client, { weakKey, firstEvent }) =>
      void client.write(...get(`/api/v1/events/stream?last_event_id=${firstEvent}`, weakKey)),
  },
  'refused keys': {
    clients: 5,
    attack: (client, { refusedKey }) =>
      repeat(client, () => get(`/api/v1/messages/${randomBytes(1_000).toString('hex')}`, refusedKey)),
  },
  'abandoned streams of the AI': {
    clients: 2,
    reads: false,
    attack: async (client, { weakKey }) => {
      const body = JSON.stringify({ message: 'Hello' });
      const headers = [bearer(weakKey), 'Accept: text/event-stream'];
      client.write(...post('/api/v1/ai/generate', body.length, ...headers), body);
      await sleep(1_000);
    },
    leaves: true,
  },
  'form replies': {
    clients: 1,
    attack: async (client) => {
      const reply = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: FORM_REPLY } };
      client.write(...signed({ type: 'interactive', interactive: reply }));
      await sleep(1_000);
    },
    leaves: true,
  },
  edits: {
    clients: 2,
    attack: (client) =>
      repeat(client, () => {
        const message = { type: 'text', text: { body: randomBytes(8_000).toString('hex') } };
        return signed({ type: 'edit', edit: { original_message_id: EDITED, message } });
      }),
  },
  'slow forged callbacks': {
    clients: 4,
    attack: (client) => {
      const forged = [`X-Hub-Signature-256: sha256=${'0'.repeat(64)}`];
      return drip(client, post('/callbacks/whatsapp', 1_000, ...forged).join('\r\n') + ' '.repeat(1_000));
    },
  },
  backups: {
    clients: 1,
    attack: (client, { operatorKey }) => repeat(client, () => post('/api/v1/admin/backups', 0, bearer(operatorKey))),
  },
  replays: {
    clients: 2,
    attack: (client, { operatorKey, hangingWebhooks }) =>
      repeat(client, () => {
        const webhook = hangingWebhooks[randomInt(hangingWebhooks.length)]!;
        const body = JSON.stringify({ since: '2026-01-01T00:00:00Z' });
        return [...post(`/api/v1/webhooks/${webhook}/replay`, body.length, bearer(operatorKey)), body];
      }),
  },
  twins: {
    clients: 5,
    attack: async (client, { weakKey }) => {
      const message = { platform: 'telegram', recipient: '66', message: 'twin' };
      const body = JSON.stringify(message);
      // All twins share the key for two seconds.
      const moment = `Idempotency-Key: ${Math.floor(Date.now() / 2_000)}`;
      client.write(...post('/api/v1/messages/send', body.length, bearer(weakKey), moment), body);
      await sleep(1_000);
    },
    leaves: true,
  },
};

/** Runs some clients of each kind. A client that the gateway disconnects connects again. */
export class Attackers {
  private readonly clients = new Set<RawClient>();
  private readonly connections: Record<string, number> = {};
  private loops: Promise<void>[] = [];
  private ended = false;
  private next = 0;

  constructor(private readonly target: Target) {}

  begin(): void {
    this.loops = Object.entries(KINDS).flatMap(([name, kind]) =>
      Array.from({ length: kind.clients }, () => this.attackAgain(name, kind)),
    );
  }

  /** @returns kind → connections opened */
  async end(): Promise<Readonly<Record<string, number>>> {
    this.ended = true;
    for (const { socket } of this.clients) socket.destroy();
    await Promise.all(this.loops);
    return this.connections;
  }

  private async attackAgain(name: string, { attack, reads, leaves }: Kind): Promise<void> {
    while (!this.ended) {
      this.connections[name] = (this.connections[name] ?? 0) + 1;
      const from = `127.0.9.${1 + (this.next++ % ADDRESSES)}`;
      const client = new RawClient(this.target.origin, { from, reads });
      this.clients.add(client);
      await attack(client, this.target);
      if (!leaves) await Promise.race([client.closed, sleep(CONNECTION_MS, undefined, { ref: false })]);
      client.socket.destroy();
      this.clients.delete(client);
      await sleep(PAUSE_MS);
    }
  }
}

async function drip({ socket }: RawClient, text: string): Promise<void> {
  for (const character of text) {
    if (isOver(socket)) return;
    socket.write(character);
    await sleep(DRIP_MS);
  }
}

/** Sends requests until the connection ends, or for `CONNECTION_MS`. */
async function repeat(client: RawClient, request: () => string[]): Promise<void> {
  for (const until = Date.now() + CONNECTION_MS; Date.now() < until && !isOver(client.socket);) {
    client.write(...request());
    await sleep(PAUSE_MS);
  }
}

function isOver({ destroyed, readableEnded }: RawClient['socket']): boolean {
  return destroyed || readableEnded;
}
