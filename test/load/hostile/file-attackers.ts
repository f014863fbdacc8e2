import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { OGG_OPUS } from '../../support/ogg-opus';
import { png } from '../../support/png';
import { RawClient } from '../../support/raw-client';
import { apiRequest, callGateway } from '../api-request';

export interface FileTarget {
  /** The gateway. */
  origin: string;
  /** A host that serves attachments. */
  files: string;
  liveKey: string;
  testKey: string;
}

/** Recipients to which WhatsApp refuses every send for a while. */
export const LIMITED = ['4917700001', '4917700002', '4917700003'] as const;
const PICTURE_BYTES = 3_700_000;
const HOG_BYTES = 1_000_000;
const CONVERSATIONS = 12;
const PICTURES = 5;
const STREAMS = 20;
const UPLOADS = 60;
const PREVIEWS = 24;
/** An attacker disconnects after this time if the gateway does not, in milliseconds. */
const CONNECTION_MS = 30_000;
/** The fake forgets files after this time, in milliseconds. */
const FILE_MS = 60_000;

/** Nested object streams, of which a parser opens each. */
const OBJECT_STREAMS = Buffer.from('%PDF-1.5\n' + '1 0 obj<</Type/ObjStm/N 1>>stream\nx\nendstream\n'.repeat(90_000));
const HIDDEN_PAGES = Buffer.from('%PDF-1.4\n' + '1 0 obj<</Type/P#61ge>>endobj\n'.repeat(100));
/** One character that becomes eighteen when it is folded. */
const EXPANDING = '\ufdfa'.repeat(4_000);
const PREAMBLE = 'x'.repeat(65_536);

type Attack = (attackers: FileAttackers) => Promise<unknown> | void;

/** A stranger's message by WhatsApp, from the stranger's number. */
const PERSON = {
  streams: '49176001',
  hidden: '49176002',
  unreadable: '49176003',
  hog: '49176004',
  voices: '49176005',
  folded: '49176006',
} as const;

/** Kind of attack → pause between two, in milliseconds, and the attack. */
const KINDS: Readonly<Record<string, readonly [pauseMs: number, attack: Attack]>> = {
  'PDFs of nested object streams': [3_000, (to) => to.sends(PERSON.streams, 'document', OBJECT_STREAMS, 'see.pdf')],
  'PDFs that hide their pages': [1_000, (to) => to.sends(PERSON.hidden, 'document', HIDDEN_PAGES, 'pages.pdf')],
  'conversations with pictures': [
    10_000,
    async (to) => {
      for (let person = 0; person < CONVERSATIONS; person += 1)
        for (let picture = 0; picture < PICTURES; picture += 1) {
          to.sends(`491780000${10 + person}`, 'image', png(100, 100, PICTURE_BYTES));
          await sleep(50);
        }
      for (let person = 0; person < CONVERSATIONS; person += 1) to.writes(`491780000${10 + person}`, 'hi');
    },
  ],
  'unreadable pictures': [1_000, (to) => to.sends(PERSON.unreadable, 'image', png(2 ** 31, 12_000, 70))],
  'a quota hog': [250, (to) => to.sends(PERSON.hog, 'image', png(1, 1, HOG_BYTES))],
  'voice messages': [250, (to) => to.sends(PERSON.voices, 'audio', Buffer.concat([OGG_OPUS, randomBytes(8)]))],
  'texts that expand': [500, (to) => to.writes(PERSON.folded, EXPANDING)],
  // A request for a person, from another person each time.
  'requests for a person': [500, (to) => to.writes(`4917900${randomInt(10_000, 99_999)}`, 'I want to talk to a human')],
  previews: [5_000, (to) => to.previews()],
  'sends to limited chats': [
    200,
    (to) => to.asks('liveKey', { platform: 'whatsapp', recipient: LIMITED[randomInt(LIMITED.length)], message: 'hi' }),
  ],
  'attachments from one host': [
    500,
    (to) => {
      const attachments = Array.from({ length: 10 }, () => ({ url: `${to.target.files}/${randomInt(1e9)}.png` }));
      return to.asks('testKey', { platform: 'telegram', recipient: '7', attachments });
    },
  ],
  'event streams': [
    5_000,
    (to) => to.opens(STREAMS, `GET /api/v1/events/stream HTTP/1.1\r\nHost: gateway\r\n${to.bearer}\r\n\r\n`),
  ],
  'unfinished uploads': [5_000, (to) => to.opens(UPLOADS, to.upload('a.bin', 'x'.repeat(400_000)))],
  'long file names': [1_000, (to) => to.opens(2, to.upload(`a${' '.repeat(15_000)}b`, 'x\r\n--x--\r\n'))],
  'malformed uploads': [
    500,
    (to) => to.opens(2, `${to.uploadHead}--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na.pdf\r\n--x--\r\n`),
  ],
  'bodies without parts': [
    1_000,
    async (to) => {
      const client = to.connect(to.uploadHead);
      while (!client.socket.destroyed && !client.socket.readableEnded) {
        client.write(PREAMBLE);
        await sleep(20);
      }
      client.socket.destroy();
    },
  ],
};

/** Strangers and clients with a key of the test environment who send what harmed the gateway once. */
export class FileAttackers {
  private readonly clients = new Set<RawClient>();
  private readonly counts: Record<string, number> = {};
  private loops: Promise<void>[] = [];
  private ended = false;

  constructor(
    private readonly whatsapp: WhatsAppFake,
    readonly target: FileTarget,
  ) {}

  begin(): void {
    this.loops = Object.entries(KINDS).map(([name, [pauseMs, attack]]) => this.repeat(name, pauseMs, attack));
  }

  /** @returns kind → attacks */
  async end(): Promise<Readonly<Record<string, number>>> {
    this.ended = true;
    for (const { socket } of this.clients) socket.destroy();
    await Promise.all(this.loops);
    return this.counts;
  }

  get bearer(): string {
    return `Authorization: Bearer ${this.target.testKey}`;
  }

  /** The head of an upload that announces more than comes. */
  get uploadHead(): string {
    const type = 'Content-Type: multipart/form-data; boundary=x';
    return [
      'POST /api/v1/media HTTP/1.1',
      'Host: gateway',
      this.bearer,
      type,
      'Content-Length: 4000000000',
      '',
      '',
    ].join('\r\n');
  }

  upload(filename: string, content: string): string {
    const disposition = `Content-Disposition: form-data; name="file"; filename="${filename}"`;
    return `${this.uploadHead}--x\r\n${disposition}\r\n\r\n${content}`;
  }

  writes(from: string, text: string): void {
    this.whatsapp.receiveText({ from, text });
  }

  /** A stranger sends a file. */
  sends(from: string, type: 'document' | 'image' | 'audio', bytes: Buffer, filename?: string): void {
    const types = { document: 'application/pdf', image: 'image/png', audio: 'audio/ogg' };
    const id = this.whatsapp.media.add(bytes, { type: types[type], ...(filename && { filename }) });
    setTimeout(() => this.whatsapp.media.expire(id), FILE_MS).unref();
    const file = {
      id,
      mime_type: types[type],
      ...(filename && { filename }),
      ...(type === 'audio' && { voice: true }),
    };
    this.whatsapp.receive({ type, [type]: file }, { from });
  }

  /** Sends a message by the API. */
  asks(key: 'liveKey' | 'testKey', body: object): Promise<void> {
    return this.calls(key, '/messages/send', body);
  }

  /** Asks for other answers in the newest conversations of strangers, whose messages have files. */
  async previews(): Promise<void> {
    const { origin, liveKey } = this.target;
    const newest = `/conversations?platform=whatsapp&per_page=${PREVIEWS}`;
    const conversations = await callGateway<{ id: string }[]>(origin, liveKey, 'GET', newest);
    const settings = { system_prompt: 'Be brief.' };
    await Promise.all(
      conversations.map(({ id }) => this.calls('liveKey', '/ai/preview', { conversation_id: id, settings })),
    );
  }

  private async calls(key: 'liveKey' | 'testKey', operation: string, body: object): Promise<void> {
    const { path, ...options } = apiRequest(this.target[key], 'POST', operation, body);
    const answer = await request(`${this.target.origin}${path}`, options);
    await answer.body.dump();
  }

  /** Opens connections, sends on each, and waits until the gateway has ended them. */
  async opens(count: number, text: string): Promise<void> {
    const clients = Array.from({ length: count }, () => this.connect(text));
    await Promise.race([Promise.all(clients.map(({ closed }) => closed)), sleep(CONNECTION_MS)]);
    for (const client of clients) client.socket.destroy();
  }

  connect(text: string): RawClient {
    const client = new RawClient(this.target.origin, { from: `127.0.8.${randomInt(1, 9)}` }).write(text);
    this.clients.add(client);
    client.socket.once('close', () => this.clients.delete(client));
    return client;
  }

  private async repeat(name: string, pauseMs: number, attack: Attack): Promise<void> {
    while (!this.ended) {
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      // The gateway may refuse or end any attack.
      await Promise.resolve(attack(this)).catch(() => undefined);
      await sleep(pauseMs);
    }
  }
}
