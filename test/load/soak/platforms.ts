import { AnthropicFake } from '../../fakes/anthropic.fake';
import type { MessagesRequest, Reply } from '../../fakes/anthropic-types';
import { DiscordFake } from '../../fakes/discord.fake';
import { RouterFake } from '../../fakes/router.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '#contracts';
import { png } from '../../support/png';

/** Names a text of the bench: a send (`s12.`) or a question (`q12.`). */
export const TOKEN = /\b[sq]\d+\./g;

/** Downtime of a flapping platform, in milliseconds. */
const AWAY_MS = 2_000;
/** The model calls this tool, if there is one, for every so many questions. */
export const TOOL = 'look_up';
const LOOKED_UP = 4;
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
  /** Further bots of Telegram, each an account of its own. */
  readonly bots: readonly TelegramFake[];
  private readonly router = new RouterFake(
    ({ url }) => this.telegrams.find(({ token }) => url!.includes(token))?.url ?? this.telegram.url,
  );
  private readonly counted = new Map<object, number>();

  constructor(bots = 0) {
    this.bots = Array.from({ length: bots }, (_, index) => new TelegramFake({ token: `${7_000 + index}:token` }));
  }

  private get telegrams(): readonly TelegramFake[] {
    return [this.telegram, ...this.bots];
  }

  private get fakes() {
    return [...this.telegrams, this.discord, this.whatsapp, this.anthropic];
  }

  async start(): Promise<this> {
    this.anthropic.replyWith(answerTo);
    this.whatsapp.beforeAnswer = (sent) => {
      this.whatsapp.notify(this.whatsapp.statusValue(sent, 'delivered'));
      return Promise.resolve();
    };
    await Promise.all([...this.fakes.map((fake) => fake.start()), this.router.start()]);
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.fakes.map((fake) => fake.shutDown()), this.router.stop()]);
  }

  get environment(): Record<string, string> {
    return {
      TELEGRAM_BOT_TOKEN: this.telegram.token,
      TELEGRAM_API_ROOT: this.bots.length > 0 ? this.router.url : this.telegram.url,
      DISCORD_BOT_TOKEN: this.discord.token,
      DISCORD_API_URL: this.discord.url,
      ...this.whatsapp.env,
      ANTHROPIC_API_KEY: this.anthropic.apiKey,
      ANTHROPIC_BASE_URL: this.anthropic.url,
    };
  }

  /** The number of updates and notifications that the platforms have not delivered yet. */
  get unread(): number {
    const updates = this.telegrams.reduce((sum, { pendingUpdates }) => sum + pendingUpdates.length, 0);
    return updates + this.whatsapp.pendingNotifications;
  }

  /** A person writes. @param person a number that identifies the person on the platform */
  receive(platform: Platform, person: number, text: string): void {
    if (platform === 'telegram') this.botOf(person).receiveText({ chatId: 500_000 + person, text });
    else if (platform === 'discord') this.discord.receiveText({ userId: String(500_000 + person), text });
    else this.whatsapp.receiveText({ from: String(49_170_500_000 + person), text });
  }

  /** A person sends a photo to a bot of Telegram. */
  receivePhoto(person: number, bytes: number, caption: string): void {
    const bot = this.botOf(person);
    const file_id = bot.addFile(png(640, 480, bytes));
    const photo = [{ file_id, file_unique_id: file_id, width: 640, height: 480, file_size: bytes }];
    bot.receiveContent(500_000 + person, { photo, caption });
  }

  private botOf(person: number): TelegramFake {
    return this.telegrams[person % this.telegrams.length]!;
  }

  /** Notes the arrivals since the last call, and drops recorded requests to save memory. */
  count(): void {
    const { telegrams, discord, whatsapp } = this;
    for (const bot of telegrams) this.note(bot.sent, ({ text, at }) => [text, at.getTime()]);
    this.note(discord.sent, ({ text, message }) => [text, Date.parse(String(message['timestamp']))]);
    this.note(whatsapp.sent, ({ text, at }) => [text, at.getTime()]);
    for (const fake of this.fakes) fake.requests.length = 0;
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

  private note<Sent>(list: readonly Sent[], read: (sent: Sent) => [string, number]) {
    for (const sent of list.slice(this.counted.get(list))) {
      const [text, at] = read(sent);
      this.arrived.set(text, [...(this.arrived.get(text) ?? []), at]);
    }
    this.counted.set(list, list.length);
  }
}

async function away(fake: { stop(): Promise<void>; start(): Promise<unknown> }): Promise<void> {
  await fake.stop();
  await sleep(AWAY_MS);
  await fake.start();
}

/** Answers every question since the last answer; with tools, the model looks up some of them first. */
function answerTo({ messages, tools = [] }: MessagesRequest): string | Reply {
  const isTool = (message: MessagesRequest['messages'][number]) =>
    typeof message.content !== 'string' && message.content.some(({ type }) => type === 'tool_use');
  const answered = messages.findLastIndex((message) => message.role === 'assistant' && !isTool(message));
  const since = messages.slice(answered + 1);
  // Reads text, not JSON, in which `\n` would join two words.
  const questions = since.flatMap(
    ({ content }) =>
      (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')).match(TOKEN) ?? [],
  );
  const looksUp = questions.some((token) => Number(token.slice(1)) % LOOKED_UP === 0);
  const isOffered = tools.some(({ name }) => name === TOOL);
  if (isOffered && looksUp && !since.some(isTool))
    return { text: '', tool: { name: TOOL, input: { about: questions[0] } } };
  return `Noted: ${questions.join(' ') || 'nothing'}`;
}
