import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { PLATFORMS, type Platform } from '#contracts';
import { png } from '../../support/png';
import { apiRequest } from '../api-request';
import type { SoakPlatforms } from './platforms';

/** Clients and people of a soak: how much they do. */
export interface TrafficOptions {
  /** Per second. */
  rates: { sends: number; questions: number; lists: number };
  /** Names of further accounts of Telegram, which send too. */
  accounts: readonly string[];
  /** Every so many questions is a photo of so many bytes, and every so many sends carries an uploaded file. 0: none. */
  files: { every: number; bytes: number };
}

const USUAL: TrafficOptions = {
  rates: { sends: 9, questions: 3, lists: 4 },
  accounts: [],
  files: { every: 0, bytes: 0 },
};
/** Per platform. */
const RECIPIENTS = 50;
/** People who write, per platform: so many that each writes again long after the answer. */
export const PEOPLE = 60;

/** Number of faults to print. */
const FAULTS = 10;

const LISTS = [
  '/messages?per_page=50',
  '/messages?platform=telegram&direction=inbound',
  '/conversations?per_page=50',
  '/conversations?platform=discord&sort=-created_at',
  '/webhooks',
  '/status',
  '/integrations',
  '/admin/stats?period=1d',
];

/** Clients and people at a steady rate, without waiting for answers. */
export class SoakTraffic {
  /** Token of the text → message id in the answer to the send. */
  readonly accepted = new Map<string, string>();
  /** Tokens of the people's messages. */
  readonly questions: string[] = [];
  /** Status → number of answers; `none`: the connection broke. */
  readonly answers = new Map<string, number>();
  /** The first answers with an error, but for 429. */
  readonly faults: string[] = [];
  private readonly agent = new Agent({ connections: 64, headersTimeout: 60_000 });
  private readonly calls = new Set<Promise<void>>();
  private readonly loops: Promise<void>[];
  private ended = false;
  private next = 0;

  /** @param origins of the instances, one of which may be down */
  constructor(
    private readonly origins: readonly string[],
    private readonly key: string,
    private readonly platforms: SoakPlatforms,
    private readonly options = USUAL,
  ) {
    const { sends, lists, questions } = options.rates;
    this.loops = [
      this.every(sends, (index) => this.send(index)),
      this.every(lists, (index) => this.list(index)),
      this.every(questions, (index) => this.ask(index)),
    ];
  }

  /** Resolves when every request has an answer or has failed. */
  async stop(): Promise<void> {
    this.ended = true;
    await Promise.all(this.loops);
    await Promise.all(this.calls);
    await this.agent.close();
  }

  private async every(perSecond: number, begin: (index: number) => Promise<void>): Promise<void> {
    for (let index = 0; !this.ended; index++) {
      const call = begin(index).finally(() => this.calls.delete(call));
      this.calls.add(call);
      await sleep(1_000 / perSecond);
    }
  }

  private async send(index: number): Promise<void> {
    const platform = PLATFORMS[index % PLATFORMS.length]!;
    const token = `s${index}.`;
    const round = Math.floor(index / PLATFORMS.length);
    const recipient = recipientOf(platform, round % RECIPIENTS);
    const account = platform === 'telegram' ? this.options.accounts[round % this.options.accounts.length] : undefined;
    const attachments = this.hasFile(round) && (await this.upload());
    const message = `${token} hello`;
    const body = { platform, recipient, message, ...(account && { account }), ...(attachments && { attachments }) };
    const answer = await this.call('POST', '/messages/send', body);
    if (answer) this.accepted.set(token, (JSON.parse(answer) as { data: { message_id: string } }).data.message_id);
  }

  private async list(index: number): Promise<void> {
    await this.call('GET', LISTS[index % LISTS.length]!);
  }

  private async ask(index: number): Promise<void> {
    const platform = PLATFORMS[index % PLATFORMS.length]!;
    const token = `q${index}.`;
    this.questions.push(token);
    const round = Math.floor(index / PLATFORMS.length);
    const text = `${token} What is new?`;
    if (platform === 'telegram' && this.hasFile(round))
      this.platforms.receivePhoto(round % PEOPLE, this.options.files.bytes, text);
    else this.platforms.receive(platform, round % PEOPLE, text);
    return Promise.resolve();
  }

  private hasFile(index: number): boolean {
    const { every } = this.options.files;
    return every > 0 && index % every === 0;
  }

  /** @returns the `attachments` of a send; undefined if the upload failed */
  private async upload(): Promise<[{ id: string }] | undefined> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(png(640, 480, this.options.files.bytes))]), 'photo.png');
    const headers = { authorization: `Bearer ${this.key}` };
    try {
      const answer = await fetch(`${this.origin()}/api/v1/media`, { method: 'POST', headers, body: form });
      this.note(String(answer.status));
      const { data } = (await answer.json()) as { data?: { id: string } };
      return data && [{ id: data.id }];
    } catch {
      this.note('none');
      return undefined;
    }
  }

  /** @returns the body of a 200; undefined otherwise */
  private async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<string | undefined> {
    const origin = this.origin();
    try {
      const { path: wholePath, ...options } = apiRequest(this.key, method, path, body);
      const answer = await request(`${origin}${wholePath}`, { ...options, dispatcher: this.agent });
      const text = await answer.body.text();
      this.note(String(answer.statusCode));
      if (answer.statusCode >= 400 && answer.statusCode !== 429 && this.faults.length < FAULTS)
        this.faults.push(`${new Date().toISOString().slice(11, 23)} ${method} ${path} of ${origin}: ${text}`);
      return answer.statusCode === 200 ? text : undefined;
    } catch {
      this.note('none');
      return undefined;
    }
  }

  private origin(): string {
    return this.origins[this.next++ % this.origins.length]!;
  }

  private note(status: string): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

function recipientOf(platform: Platform, index: number): string {
  return { telegram: String(1_000 + index), discord: String(2_000 + index), whatsapp: String(49_170_000_000 + index) }[
    platform
  ];
}
