import { Pool } from 'undici';
import type { RecordedRequest, Answer } from '../../fakes/http-fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { ANSWER, MESSAGE } from '../ai/exchange';
import { BareProvider } from '../bare/bare-provider';
import { BOT_TOKEN, CALLBACK_CONNECTIONS, WEBHOOK_SECRET } from './conversation';

const TIMEOUT_MS = 60_000;

/**
 * Telegram, with people who write. `POST /converse?chat=…&callback=…` posts a person's update to the callback like Telegram,
 * and responds once the bot's answer is accepted. Without a callback it calls the provider and sends the answer itself, which
 * measures the time of the fakes alone.
 */
class People extends TelegramFake {
  private readonly waiting = new Map<string, PromiseWithResolvers<void>>();
  private readonly callbacks = new Map<string, Pool>();
  private readonly provider = new BareProvider(process.env['PROVIDER_URL']!, 128);
  private nextUpdate = 1;

  protected override async handle(request: RecordedRequest, signal: AbortSignal): Promise<Answer> {
    if (request.path === '/converse') return this.converse(request.query.get('chat')!, request.query.get('callback'));
    const answer = await super.handle(request, signal);
    if (request.operation === 'sendMessage' && answer.status === 200) this.answered(request.body);
    return answer;
  }

  private async converse(chat: string, callback: string | null): Promise<Answer> {
    const accepted = Promise.withResolvers<void>();
    this.waiting.set(chat, accepted);
    const timer = setTimeout(() => accepted.reject(new Error(`No answer in chat ${chat}`)), TIMEOUT_MS);
    try {
      const posted = callback === null ? this.answerAlone(chat) : this.post(chat, new URL(callback));
      await Promise.all([posted, accepted.promise]);
      return { status: 200 };
    } finally {
      clearTimeout(timer);
      this.waiting.delete(chat);
    }
  }

  private answered({ chat_id: chat, text }: Record<string, unknown>): void {
    const waiting = this.waiting.get(String(chat));
    if (text === ANSWER) waiting?.resolve();
    else waiting?.reject(new Error(`The answer in chat ${String(chat)} was ${String(text)}`));
  }

  private async post(chat: string, { origin, pathname }: URL): Promise<void> {
    const update = JSON.stringify(this.update(Number(chat)));
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': WEBHOOK_SECRET };
    await exchange(this.connectionsTo(origin), pathname, headers, update);
  }

  private async answerAlone(chat: string): Promise<void> {
    const { text } = await this.provider.ask([{ role: 'user', content: MESSAGE }]);
    const headers = { 'content-type': 'application/json' };
    const path = `/bot${this.token}/sendMessage`;
    await exchange(this.connectionsTo(this.url), path, headers, JSON.stringify({ chat_id: Number(chat), text }));
  }

  private connectionsTo(origin: string): Pool {
    const pool = this.callbacks.get(origin) ?? new Pool(origin, { connections: CALLBACK_CONNECTIONS, pipelining: 1 });
    this.callbacks.set(origin, pool);
    return pool;
  }

  private update(chat: number) {
    const number = this.nextUpdate++;
    const date = Math.floor(Date.now() / 1_000);
    const from = { id: chat, is_bot: false, first_name: `Person ${chat}` };
    const message = { message_id: number, from, chat: { ...from, type: 'private' }, date, text: MESSAGE };
    return { update_id: number, message };
  }
}

async function exchange(pool: Pool, path: string, headers: Record<string, string>, body: string): Promise<void> {
  const answer = await pool.request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
}

async function main(): Promise<void> {
  const people = new People({ token: BOT_TOKEN });
  await people.start();
  // The fake records each request, and a bench makes too many to keep.
  setInterval(() => [people.requests, people.sent, people.actions].forEach((list) => list.splice(0)), 1_000).unref();
  console.log(`API ${people.url}/api/v1`);
}

process.on('SIGTERM', () => process.exit(0));
void main();
