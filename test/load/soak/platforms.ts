import { AnthropicFake } from '../../fakes/anthropic.fake';
import type { MessagesRequest } from '../../fakes/anthropic-types';
import { DiscordFake } from '../../fakes/discord.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '#contracts';

/** Names a text of the bench: a send (`s12.`) or a question (`q12.`). */
export const TOKEN = /\b[sq]\d+\./g;

/** Downtime of a flapping platform, in milliseconds. */
const AWAY_MS = 2_000;
/** Consecutive sends with an ambiguous outcome. */
const DROPPED = 2;

/** The fake platforms and AI provider, with the arrival times of each text. */
export class SoakPlatforms {
  readonly telegram = new TelegramFake();
  readonly discord = new DiscordFake();
  readonly whatsapp = new WhatsAppFake();
  readonly anthropic = new AnthropicFake();
  /** Text → arrival times at its platform, by `Date.now()`. */
  readonly arrived = new Map<string, number[]>();
  /** Troubles of the platforms, with times by `Date.now()`. */
  readonly troubles: { at: number; name: string }[] = [];
  flaps = 0;
  private counted = { telegram: 0, discord: 0, whatsapp: 0 };

  async start(): Promise<this> {
    this.anthropic.replyWith((request) => `Noted: ${questionsOf(request).join(' ')}`);
    this.whatsapp.beforeAnswer = (sent) => {
      this.whatsapp.notify(this.whatsapp.statusValue(sent, 'delivered'));
      return Promise.resolve();
    };
    await Promise.all([this.telegram, this.discord, this.whatsapp, this.anthropic].map((fake) => fake.start()));
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([this.telegram.stop(), this.discord.stop(), this.whatsapp.shutDown(), this.anthropic.stop()]);
  }

  get environment(): Record<string, string> {
    return {
      TELEGRAM_BOT_TOKEN: this.telegram.token,
      TELEGRAM_API_ROOT: this.telegram.url,
      DISCORD_BOT_TOKEN: this.discord.token,
      DISCORD_API_URL: this.discord.url,
      ...this.whatsapp.env,
      ANTHROPIC_API_KEY: this.anthropic.apiKey,
      ANTHROPIC_BASE_URL: this.anthropic.url,
    };
  }

  /** The number of updates and notifications that the platforms have not delivered yet. */
  get unread(): number {
    return this.telegram.pendingUpdates.length + this.whatsapp.pendingNotifications;
  }

  /** A person writes. @param person a number that identifies the person on the platform */
  receive(platform: Platform, person: number, text: string): void {
    if (platform === 'telegram') this.telegram.receiveText({ chatId: 500_000 + person, text });
    else if (platform === 'discord') this.discord.receiveText({ userId: String(500_000 + person), text });
    else this.whatsapp.receiveText({ from: String(49_170_500_000 + person), text });
  }

  /** Notes the arrivals since the last call, and drops recorded requests to save memory. */
  count(): void {
    const { telegram, discord, whatsapp } = this;
    this.note(telegram.sent, 'telegram', ({ text, at }) => [text, at.getTime()]);
    this.note(discord.sent, 'discord', ({ text, message }) => [text, Date.parse(String(message['timestamp']))]);
    this.note(whatsapp.sent, 'whatsapp', ({ text, at }) => [text, at.getTime()]);
    for (const fake of [telegram, discord, whatsapp, this.anthropic]) fake.requests.length = 0;
  }

  /** Causes the next trouble of a platform or the provider, in turn. Resolves when a downtime is over. */
  async flap(): Promise<void> {
    const { telegram, discord, whatsapp, anthropic } = this;
    const troubles: [string, () => Promise<unknown> | void][] = [
      ['Telegram is away', () => away(telegram)],
      ['Discord drops its connection', () => discord.gateway.drop()],
      ['WhatsApp is away', () => away(whatsapp)],
      ['the provider is overloaded', () => anthropic.fail({ status: 529, times: 3 })],
      ['Discord is away', () => away(discord)],
      [
        'Telegram asks for pauses',
        () => telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 1, times: 3 }),
      ],
      ['Discord invalidates its session', () => discord.gateway.invalidate()],
      [`WhatsApp takes ${DROPPED} sends and drops their connections`, () => this.dropAfterSends()],
      ['Telegram drops its connections', () => telegram.dropConnections()],
      ['Discord answers sends with 500', () => discord.fail({ method: 'messages', status: 500, times: 3 })],
    ];
    const [name, begin] = troubles[this.flaps++ % troubles.length]!;
    this.troubles.push({ at: Date.now(), name });
    await begin();
  }

  private dropAfterSends(): void {
    this.whatsapp.fail({ method: 'messages', kind: 'drop_after', times: DROPPED });
  }

  private note<Sent>(list: readonly Sent[], name: keyof typeof this.counted, read: (sent: Sent) => [string, number]) {
    for (const sent of list.slice(this.counted[name])) {
      const [text, at] = read(sent);
      this.arrived.set(text, [...(this.arrived.get(text) ?? []), at]);
    }
    this.counted[name] = list.length;
  }
}

async function away(fake: { stop(): Promise<void>; start(): Promise<unknown> }): Promise<void> {
  await fake.stop();
  await sleep(AWAY_MS);
  await fake.start();
}

/** Tokens of the questions since the assistant's last answer. Reads text, not JSON, in which `\n` would join two words. */
function questionsOf({ messages }: MessagesRequest): string[] {
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(answered + 1)
    .flatMap(
      ({ content }) =>
        (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')).match(TOKEN) ?? [],
    );
}
