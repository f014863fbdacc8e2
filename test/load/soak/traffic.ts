import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { PLATFORMS, type Platform } from '#contracts';
import { apiRequest } from '../api-request';
import type { SoakPlatforms } from './platforms';

/** Per second. */
const RATES = { sends: 9, questions: 3, lists: 4 };
/** Per platform. */
const RECIPIENTS = 50;
/** People who write, per platform: so many that each writes again long after the answer. */
const PEOPLE = 60;

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
  /** The first answers with a 5xx status. */
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
  ) {
    this.loops = [
      this.every(RATES.sends, (index) => this.send(index)),
      this.every(RATES.lists, (index) => this.list(index)),
      this.every(RATES.questions, (index) => this.ask(index)),
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
    const recipient = recipientOf(platform, Math.floor(index / PLATFORMS.length) % RECIPIENTS);
    const answer = await this.call('POST', '/messages/send', { platform, recipient, message: `${token} hello` });
    if (answer) this.accepted.set(token, (JSON.parse(answer) as { data: { message_id: string } }).data.message_id);
  }

  private async list(index: number): Promise<void> {
    await this.call('GET', LISTS[index % LISTS.length]!);
  }

  private async ask(index: number): Promise<void> {
    const platform = PLATFORMS[index % PLATFORMS.length]!;
    const token = `q${index}.`;
    this.questions.push(token);
    this.platforms.receive(platform, Math.floor(index / PLATFORMS.length) % PEOPLE, `${token} What is new?`);
    return Promise.resolve();
  }

  /** @returns the body of a 200; undefined otherwise */
  private async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<string | undefined> {
    const origin = this.origins[this.next++ % this.origins.length]!;
    try {
      const { path: wholePath, ...options } = apiRequest(this.key, method, path, body);
      const answer = await request(`${origin}${wholePath}`, { ...options, dispatcher: this.agent });
      const text = await answer.body.text();
      this.note(String(answer.statusCode));
      if (answer.statusCode >= 500 && this.faults.length < FAULTS)
        this.faults.push(`${new Date().toISOString().slice(11, 23)} ${method} ${path} of ${origin}: ${text}`);
      return answer.statusCode === 200 ? text : undefined;
    } catch {
      this.note('none');
      return undefined;
    }
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
