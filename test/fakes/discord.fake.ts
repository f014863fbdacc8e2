import { DiscordGatewayFake } from './discord-gateway';
import { areTooLarge, DiscordFiles } from './discord-media';
import { person, pollOf, referenceTo, snapshotOf } from './discord-messages';
import { showText } from './discord-text';
import type {
  DiscordChannel,
  DiscordMessage,
  DiscordUser,
  ReceivedDiscordText,
  SentDiscordMessage,
} from './discord-types';
import type { FormFile } from './form-body';
import type { RetryAfter } from './fault-queue';
import { type Answer, HttpFake, type RecordedRequest } from './http-fake';

const MENTION_FIELDS = { mentions: [], mention_roles: [], mention_everyone: false };
const DISCORD_EPOCH = 1_420_070_400_000;
/** The id of a direct-message channel is the user's id plus this. */
const DIRECT = 10n ** 17n;

/**
 * The parts of Discord's REST API v10 and gateway that our gateway uses: https://discord.com/developers/docs/reference. The
 * `method` of a fault is the last word of a path (`messages`, `typing`, `bot`).
 */
export class DiscordFake extends HttpFake {
  /** After a change, the fake refuses the old token with 401. */
  token: string;
  readonly bot: DiscordUser;
  readonly sent: SentDiscordMessage[] = [];
  readonly typing: string[] = [];
  /** Ids of interactions that the bot answered. */
  readonly acknowledged: string[] = [];
  readonly gateway: DiscordGatewayFake;
  /** How often the bot may still identify today. */
  remainingIdentifies = 1_000;
  /** GATEWAY_MESSAGE_CONTENT_LIMITED: https://discord.com/developers/docs/resources/application#application-object-application-flags */
  applicationFlags = 1 << 19;
  /** The order of a page of messages. Discord sends the newest first; other servers the oldest. */
  oldestFirst = false;
  /** The boost level of every guild, 0 to 3. */
  premiumTier = 0;
  readonly files = new DiscordFiles(() => this.url);
  /** The highest number of concurrent calls. A call that meets a fault counts as concurrent forever. */
  mostAtOnce = 0;
  #underWay = 0;
  readonly #channels = new Map<string, DiscordChannel>();
  readonly #guilds = new Map<string, Record<string, unknown>>();
  readonly #messages = new Map<string, DiscordMessage[]>();
  readonly #closedTo = new Set<string>();
  readonly #refusing = new Map<string, { status: number; code: number }>();
  #lastId = 0n;

  constructor({ token = 'NDI0Mg.fake.discord-token', botId = '4242' }: { token?: string; botId?: string } = {}) {
    super();
    this.token = token;
    this.bot = { id: botId, username: 'gateway_bot', global_name: null, bot: true };
    this.gateway = new DiscordGatewayFake({
      accepts: (given) => given === this.token,
      ready: () => ({
        user: this.bot,
        application: { id: this.bot.id, flags: 0 },
        guilds: [...this.#guilds.keys()].map((id) => ({ id, unavailable: true })),
      }),
      guilds: () => [...this.#guilds.values()],
      changed: () => this.changed(),
    });
  }

  override async start(port?: number): Promise<this> {
    await super.start(port);
    await this.gateway.start();
    return this;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.gateway.stop();
  }

  /** A text channel of a guild in which the bot may write. */
  addChannel(id: string, name = `channel-${id}`, guildId = '900'): DiscordChannel {
    const channel: DiscordChannel = { id, type: 0, name, guild_id: guildId };
    this.#channels.set(id, channel);
    return channel;
  }

  /** The bot joins a guild, which has a role for it; or it is in the guild before it connects. */
  addGuild(id: string, name: string, ownRole: string): void {
    const roles = [
      { id, name: '@everyone' },
      { id: ownRole, name: 'Gateway', tags: { bot_id: this.bot.id } },
    ];
    const guild = { id, name, roles, joined_at: new Date().toISOString() };
    this.#guilds.set(id, guild);
    this.gateway.dispatch('GUILD_CREATE', guild);
  }

  /** The bot leaves the guild. */
  removeGuild(id: string): void {
    this.#guilds.delete(id);
    this.gateway.dispatch('GUILD_DELETE', { id });
  }

  /** From now on the user accepts no messages of the bot: 403 with code 50007. */
  closeDirectMessages(userId: string): void {
    this.#closedTo.add(userId);
  }

  /** Refuses every call about the channel (403 with code 50001: no access) until called with undefined. */
  refuseChannel(id: string, refusal: { status: number; code: number } | undefined): void {
    if (refusal) this.#refusing.set(id, refusal);
    else this.#refusing.delete(id);
  }

  /** The direct-message channel with a user. */
  directMessage(userId: string): DiscordChannel {
    const id = String(DIRECT + BigInt(userId));
    const known = this.#channels.get(id);
    if (known) return known;
    const channel: DiscordChannel = { id, type: 1, recipients: [person(userId)] };
    this.#channels.set(id, channel);
    return channel;
  }

  /** A person writes. */
  receiveText({ text, userId, channelId, username, mentionsBot, replyTo, extra }: ReceivedDiscordText): DiscordMessage {
    const channel = channelId === undefined ? this.directMessage(userId) : this.#channels.get(channelId)!;
    const answered = replyTo === undefined ? undefined : this.#find(channel.id, replyTo);
    const message = this.#store(channel, person(userId, username), text, {
      ...(mentionsBot && { mentions: [this.bot] }),
      ...(answered && { type: 19, referenced_message: answered, message_reference: referenceTo(answered) }),
      ...extra,
    });
    return message;
  }

  /** A person forwards a message: https://discord.com/developers/docs/resources/message#message-reference-types */
  forward(original: Record<string, unknown> & { id: string; channel_id: string }, userId: string): DiscordMessage {
    const extra = {
      flags: 1 << 14,
      message_reference: { ...referenceTo(original), type: 1 },
      message_snapshots: [{ message: snapshotOf(original) }],
    };
    return this.receiveText({ text: '', userId, extra });
  }

  /** A person asks others for an answer. */
  poll(question: string, answers: readonly string[], userId: string): DiscordMessage {
    return this.receiveText({ text: '', userId, extra: { poll: pollOf(question, answers) } });
  }

  /** The author edits the message. Fields without a new `content` are no edit: Discord adds embeds and pins so. */
  edit(message: DiscordMessage, fields: Record<string, unknown>): void {
    const edited_timestamp = 'content' in fields ? new Date().toISOString() : message['edited_timestamp'];
    Object.assign(message, fields, { edited_timestamp });
    this.gateway.dispatch('MESSAGE_UPDATE', { ...message, ...this.#guildOf(message) });
  }

  /** The author or a moderator deletes the messages, all of one channel. */
  delete(...messages: DiscordMessage[]): void {
    const [first] = messages;
    if (!first) return;
    const ids = messages.map(({ id }) => id);
    const { channel_id } = first;
    const kept = this.#messages.get(channel_id)?.filter(({ id }) => !ids.includes(id));
    this.#messages.set(channel_id, kept ?? []);
    const place = { channel_id, ...this.#guildOf(first) };
    if (ids.length === 1) this.gateway.dispatch('MESSAGE_DELETE', { id: first.id, ...place });
    else this.gateway.dispatch('MESSAGE_DELETE_BULK', { ids, ...place });
  }

  /** A person reacts to a message, or takes the reaction back. */
  react(
    { id: message_id, channel_id, ...message }: DiscordMessage,
    userId: string,
    name: string,
    isRemoved = false,
  ): void {
    const place = { message_id, channel_id, ...this.#guildOf({ channel_id }) };
    const reaction = { ...place, user_id: userId, emoji: { id: null, name }, burst: false, type: 0 };
    if (isRemoved) this.gateway.dispatch('MESSAGE_REACTION_REMOVE', reaction);
    else this.gateway.dispatch('MESSAGE_REACTION_ADD', { ...reaction, message_author_id: message.author.id });
  }

  /** A person taps a button or chooses from a menu in a message of the bot. */
  tap(data: Record<string, unknown>, { message, body: { components } }: SentDiscordMessage, userId = '41'): void {
    const { id: channelId, type, guild_id } = this.#channels.get(message.channel_id)!;
    const user = person(userId);
    this.gateway.dispatch('INTERACTION_CREATE', {
      id: this.#nextId(),
      application_id: this.bot.id,
      type: 3,
      version: 1,
      token: 'tap',
      channel_id: channelId,
      channel: { id: channelId, type },
      ...(guild_id === undefined ? { user } : { guild_id, member: { user } }),
      data,
      message: { ...message, components },
    });
  }

  /** Resolves once the bot is connected and ready. */
  waitForConnection(timeoutMs?: number): Promise<void> {
    return this.waitUntil(
      () => this.gateway.sessions.some(({ socket }) => socket !== undefined),
      () => 'the bot is not connected',
      timeoutMs,
    );
  }

  /** Resolves with all accepted messages once there are `count` of them; rejects after `timeoutMs`. */
  async waitForSent(count: number, timeoutMs?: number): Promise<SentDiscordMessage[]> {
    const enough = (): boolean => this.sent.length >= count;
    await this.waitUntil(enough, () => `${this.sent.length} of ${count} messages were sent`, timeoutMs);
    return this.sent;
  }

  protected operationOf(path: string): string {
    return path.startsWith('/attachments/') ? 'file' : (path.split('/').at(-1) ?? '');
  }

  protected override recorded(): void {
    this.#underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
  }

  protected handle(request: RecordedRequest): Answer {
    this.#underWay -= 1;
    if (request.operation === 'file') return this.files.download(request.path, request.query);
    // The path has the interaction's token; there is no bot token.
    if (request.operation === 'callback') return this.#acknowledge(request.path);
    if (request.headers.authorization !== `Bot ${this.token}`) return this.errorAnswer(401);
    const [, version, ...path] = request.path.split('/');
    if (version !== 'v10') return this.errorAnswer(404);
    const route = `${request.method} ${path.map((word) => (/^\d+$/.test(word) ? ':id' : word)).join('/')}`;
    const id = path[1] ?? '';
    const answer = this.#routes[route]?.(id, request) ?? this.errorAnswer(404);
    this.changed();
    return answer;
  }

  protected errorAnswer(status: number, retryAfter: RetryAfter | undefined = status === 429 ? 1 : undefined): Answer {
    if (retryAfter === undefined) return refused(status, 0, `${status}: ${USUAL[status] ?? 'Error'}`);
    return {
      status: 429,
      headers: { 'retry-after': String(retryAfter), 'x-ratelimit-scope': 'user' },
      body: { message: 'You are being rate limited.', retry_after: retryAfter, global: false },
    };
  }

  readonly #routes: Record<string, (id: string, request: RecordedRequest) => Answer> = {
    'GET gateway/bot': () => {
      const session_start_limit = {
        total: 1_000,
        remaining: this.remainingIdentifies,
        reset_after: 60_000,
        max_concurrency: 1,
      };
      return ok({ url: this.gateway.url, shards: 1, session_start_limit });
    },
    'GET applications/@me': () => ok({ id: this.bot.id, name: 'Gateway', flags: this.applicationFlags }),
    'GET users/@me': () => ok(this.bot),
    'POST users/@me/channels': (_id, { body }) => {
      const userId = body.recipient_id;
      if (typeof userId !== 'string' || userId.length < 2) return refused(400, 50_033, 'Invalid Recipient(s)');
      return ok(this.directMessage(userId));
    },
    'GET guilds/:id': (id) => ok({ id, premium_tier: this.premiumTier }),
    'POST attachments/refresh-urls': (_id, { body }) => ok(this.files.refresh(body.attachment_urls as string[])),
    'GET channels/:id': (id) => this.#withChannel(id, ok),
    'POST channels/:id/typing': (id) =>
      this.#withChannel(id, () => {
        this.typing.push(id);
        return { status: 204, body: '' };
      }),
    'GET channels/:id/messages': (id, { query }) =>
      this.#withChannel(id, () => {
        const after = BigInt(query.get('after') ?? 0);
        const later = (this.#messages.get(id) ?? []).filter((message) => BigInt(message.id) > after);
        const page = later.slice(0, Number(query.get('limit') ?? 50));
        return ok(this.oldestFirst ? page : page.toReversed());
      }),
    'POST channels/:id/messages': (id, { body, files }) =>
      this.#withChannel(id, (channel) => {
        const { payload_json: json } = body;
        const given = typeof json === 'string' ? (JSON.parse(json) as typeof body) : body;
        return this.#create(channel, given, files);
      }),
  };

  #acknowledge(path: string): Answer {
    const [, , , id, token] = path.split('/');
    if (token !== 'tap') return refused(404, 10_062, 'Unknown interaction');
    this.acknowledged.push(id!);
    this.changed();
    return { status: 204, body: '' };
  }

  #withChannel(id: string, use: (channel: DiscordChannel) => Answer): Answer {
    const refusal = this.#refusing.get(id);
    if (refusal) return refused(refusal.status, refusal.code, 'No');
    const channel = this.#channels.get(id);
    return channel ? use(channel) : refused(404, 10_003, 'Unknown Channel');
  }

  #create(channel: DiscordChannel, body: Record<string, unknown>, files: FormFile[]): Answer {
    const { content = '', nonce, enforce_nonce } = body;
    if (channel.recipients?.some(({ id }) => this.#closedTo.has(id)))
      return refused(403, 50_007, 'Cannot send messages to this user');
    if (areTooLarge(files, channel.guild_id === undefined ? 0 : this.premiumTier))
      return refused(413, 40_005, 'Request entity too large');
    if (files.length > 10) return refused(400, 50_035, 'Invalid Form Body');
    if (typeof content !== 'string' || (content.trim() === '' && files.length === 0))
      return refused(400, 50_006, 'Cannot send an empty message');
    if (content.length > 2_000) return refused(400, 50_035, 'Invalid Form Body');
    if (typeof nonce === 'string' && nonce.length > 25) return refused(400, 50_035, 'Invalid Form Body');
    const twin = enforce_nonce ? this.sent.find(({ message }) => message.nonce === nonce) : undefined;
    if (twin) return ok(twin.message);

    const reference = body.message_reference as { message_id?: string; fail_if_not_exists?: boolean } | undefined;
    const answered = reference?.message_id ? this.#find(channel.id, reference.message_id) : undefined;
    if (reference && !answered && reference.fail_if_not_exists !== false)
      return refused(400, 50_035, 'Invalid Form Body');
    const message = this.#store(channel, this.bot, content, {
      nonce,
      flags: body.flags ?? 0,
      ...(answered && { type: 19, referenced_message: answered, message_reference: referenceTo(answered) }),
    });
    this.sent.push({ message, ...showText(content), body, files });
    return ok(message);
  }

  #store(
    channel: DiscordChannel,
    author: DiscordUser,
    content: string,
    extra: Record<string, unknown>,
  ): DiscordMessage {
    const { id: channel_id } = channel;
    const message: DiscordMessage = {
      id: this.#nextId(),
      channel_id,
      author,
      content,
      type: 0,
      timestamp: new Date().toISOString(),
      edited_timestamp: null,
      tts: false,
      pinned: false,
      attachments: [],
      embeds: [],
      ...MENTION_FIELDS,
      ...extra,
    };
    const list = this.#messages.get(channel_id) ?? [];
    this.#messages.set(channel_id, [...list, message]);
    // Only the gateway event has the guild's id; the REST message does not.
    this.gateway.dispatch('MESSAGE_CREATE', { ...message, ...this.#guildOf(message) });
    return message;
  }

  #guildOf({ channel_id }: { channel_id: string }): { guild_id?: string } {
    const guild_id = this.#channels.get(channel_id)?.guild_id;
    return guild_id === undefined ? {} : { guild_id };
  }

  #find(channelId: string, messageId: string): DiscordMessage | undefined {
    return this.#messages.get(channelId)?.find(({ id }) => id === messageId);
  }

  /** https://discord.com/developers/docs/reference#snowflakes */
  #nextId(): string {
    const now = BigInt(Date.now() - DISCORD_EPOCH) << 22n;
    this.#lastId = now > this.#lastId ? now : this.#lastId + 1n;
    return String(this.#lastId);
  }
}

const USUAL: Readonly<Record<number, string>> = { 401: 'Unauthorized', 404: 'Not Found', 500: 'Internal Server Error' };

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function refused(status: number, code: number, message: string): Answer {
  return { status, body: { code, message } };
}
