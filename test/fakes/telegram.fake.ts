import { isDeepStrictEqual } from 'node:util';
import { FakeFiles, type FakeFile } from './fake-files';
import type { RetryAfter } from './fault-queue';
import type { FormFile } from './form-body';
import { type Answer, HttpFake, type RecordedRequest } from './http-fake';
import { chatIdOf, TelegramChats } from './telegram-chats';
import type { MessageEntity } from './telegram-html';
import { incomingText, type ReceivedText } from './telegram-incoming';
import { FILE_METHODS, LARGEST_DOWNLOAD, readAlbum, readFile, type SentFile } from './telegram-media';
import { TelegramParams } from './telegram-params';
import { refuseTooLong, type ShownText, showText } from './telegram-text';
import {
  CHAT_ACTIONS,
  type TelegramChat,
  TelegramFailure,
  type TelegramMessage,
  type TelegramUpdate,
  type TelegramUser,
  USUAL_DESCRIPTIONS,
} from './telegram-types';
import { UpdateQueue } from './telegram-updates';
import { UpdateSender, type WebhookRegistration } from './telegram-webhook';

export interface TelegramFakeOptions {
  token?: string;
  bot?: Partial<TelegramUser>;
  /** Refuse chats that never wrote, as Telegram does: a bot cannot start a private chat. Off by default. */
  strictChats?: boolean;
  /** Pause before the fake posts a refused update again; 50 ms by default. Telegram starts with 1 s and backs off. */
  webhookRetryMs?: number;
}

/** An accepted message. An album is one message per item. */
export interface SentMessage {
  message_id: number;
  chat_id: number | string;
  /** The text as the recipient sees it: without markup and outer blank lines. */
  text: string;
  entities: MessageEntity[];
  file?: SentFile;
  media_group_id?: string;
  /** The call's raw parameters. */
  params: Record<string, unknown>;
  at: Date;
}

interface ReplyParameters {
  message_id?: number;
  allow_sending_without_reply?: boolean;
}

/**
 * The part of Telegram's Bot API 10.3 that the gateway uses: https://core.telegram.org/bots/api. Error texts and the order
 * of checks follow Telegram's own server (github.com/tdlib/telegram-bot-api).
 */
export class TelegramFake extends HttpFake {
  /** After a change, the fake refuses the old token with 401. */
  token: string;
  readonly bot: TelegramUser;
  readonly sent: SentMessage[] = [];
  readonly actions: { chat_id: number | string; action: string; topic?: number; at: Date }[] = [];
  #updates = new UpdateQueue(() => this.changed());
  #sender: UpdateSender;
  #webhook: WebhookRegistration | undefined;
  #posting = new AbortController();
  #allowedUpdates: string[] = [];
  #polls = 0;
  readonly #chats: TelegramChats;
  readonly #files = new FakeFiles();
  #albums = 0;

  constructor(options: TelegramFakeOptions = {}) {
    super();
    this.token = options.token ?? '4242:fake-telegram-token';
    const id = Number(this.token.split(':')[0]);
    this.bot = { id, is_bot: true, first_name: 'Gateway', username: 'gateway_bot', ...options.bot };
    this.#chats = new TelegramChats(options.strictChats ?? false);
    this.#sender = new UpdateSender(
      this.#updates,
      options.webhookRetryMs ?? 50,
      (method, params) => void this.#call(method, new TelegramParams(params), this.running),
      () => this.changed(),
    );
  }

  override async start(port?: number): Promise<this> {
    await super.start(port);
    this.#post();
    return this;
  }

  override async stop(): Promise<void> {
    this.#posting.abort();
    await super.stop();
  }

  /** A person writes to the bot. */
  receiveText(received: ReceivedText): TelegramUpdate {
    const message_id = this.#chats.nextMessageId(received.chatId);
    return this.receive({ message: incomingText(received, message_id, (id) => this.#sent(received.chatId, id)) });
  }

  #sent(chatId: number, messageId: number): Partial<TelegramMessage> | undefined {
    const sent = this.sent.find((one) => one.message_id === messageId && one.chat_id === chatId);
    return sent && { from: this.bot, [sent.file ? 'caption' : 'text']: sent.text };
  }

  /** A person edits a message: `{text: 'new'}`. */
  edit(message: TelegramMessage, content: Record<string, unknown>): TelegramUpdate {
    return this.receive({ edited_message: { ...message, ...content, edit_date: Math.floor(Date.now() / 1000) } });
  }

  /** A person sends a rich message: https://core.telegram.org/bots/api#richmessage */
  receiveRich(chatId: number, blocks: readonly object[]): TelegramUpdate {
    return this.receiveContent(chatId, { rich_message: { blocks } });
  }

  /** Stores a file that a person sends. @returns its `file_id`, for messages */
  addFile(bytes: Buffer | string, about?: Partial<FakeFile>): string {
    return this.#files.add(bytes, about);
  }

  /** From now on the fake does not serve the file. */
  expireFile(fileId: string): void {
    this.#files.expire(fileId);
  }

  /** A person sends any content: `{photo: […]}`, `{location: …}`. */
  receiveContent(chatId: number, content: Record<string, unknown>): TelegramUpdate {
    const sender = (content['from'] as TelegramUser | undefined) ?? { first_name: `Person ${chatId}` };
    const from: TelegramUser = { ...sender, id: chatId, is_bot: false };
    const chat: TelegramChat = { id: chatId, type: 'private', first_name: from.first_name };
    const message_id = this.#chats.nextMessageId(chatId);
    return this.receive({ message: { message_id, chat, date: Math.floor(Date.now() / 1000), ...content, from } });
  }

  /** Queues any update (`{message: {…photo}}`, `{edited_message: …}`) under a new `update_id`. */
  receive(content: Omit<TelegramUpdate, 'update_id'>): TelegramUpdate {
    const { message } = content as { message?: TelegramMessage };
    if (message) this.#chats.remember(message.chat);
    const kind = Object.keys(content)[0]!;
    if (this.#allowedUpdates.length > 0 && !this.#allowedUpdates.includes(kind)) return { update_id: 0, ...content };
    const update = this.#updates.push(content);
    this.#sender.signal();
    return update;
  }

  /** Updates that the bot has not confirmed by a higher offset or a 2xx from its webhook. */
  get pendingUpdates(): readonly TelegramUpdate[] {
    return this.#updates.pending;
  }

  /** All getUpdates calls so far, including refused and faulted ones. */
  get polls(): number {
    return this.#polls;
  }

  /** Whether a long poll is waiting right now. */
  get isPolled(): boolean {
    return this.#updates.isPolled;
  }

  /** From now on the fake refuses sends to the chat with 403 (e.g. `Forbidden: bot was kicked from the group chat`). */
  block(chatId: number, description = USUAL_DESCRIPTIONS[403]!): void {
    this.#chats.refuse(chatId, new TelegramFailure(403, description));
  }

  /** From now on the fake answers sends to the chat with 429. */
  slowDown(chatId: number, retryAfter: number): void {
    const description = `Too Many Requests: retry after ${retryAfter}`;
    this.#chats.refuse(chatId, new TelegramFailure(429, description, { retry_after: retryAfter }));
  }

  unblock(chatId: number): void {
    this.#chats.accept(chatId);
  }

  /** The group `from` becomes the supergroup `to`: the fake refuses sends to the old id with `migrate_to_chat_id`. */
  migrate(from: number, to: number): void {
    this.#chats.migrate(from, to);
  }

  /** From now on the group has the name (`depot_team`), whichever chat had it before. */
  nameGroup(chatId: number, username: string): void {
    this.#chats.forget(chatId);
    this.#chats.remember({ id: chatId, type: 'supergroup', title: `Chat ${chatId}`, username });
  }

  /** Resolves as soon as a long poll waits. */
  waitForPoll(timeoutMs?: number): Promise<void> {
    return this.waitUntil(
      () => this.isPolled,
      () => `no client polls; ${this.#polls} polls came in`,
      timeoutMs,
    );
  }

  /** Resolves with all accepted messages once there are `count` of them; rejects after `timeoutMs`. */
  async waitForSent(count: number, timeoutMs?: number): Promise<SentMessage[]> {
    const enough = () => this.sent.length >= count;
    await this.waitUntil(enough, () => `${this.sent.length} of ${count} messages were sent`, timeoutMs);
    return this.sent;
  }

  protected operationOf(path: string): string {
    return path.startsWith('/file/') ? 'file' : (path.split('/').at(-1) ?? '');
  }

  protected override recorded({ operation }: RecordedRequest): void {
    if (operation.toLowerCase() === 'getupdates') this.#polls += 1;
  }

  protected async handle(request: RecordedRequest, signal: AbortSignal): Promise<Answer> {
    if (request.operation === 'file') return this.#download(request.path);
    const [, bot, method, ...rest] = request.path.split('/');
    if (!bot?.startsWith('bot') || !method || rest.length > 0) return this.errorAnswer(404);
    if (decodeURIComponent(bot) !== `bot${this.token}`) return this.errorAnswer(401);
    return this.#call(method, TelegramParams.of(request), signal, request.files);
  }

  /** https://core.telegram.org/bots/api#getfile */
  #download(path: string): Answer {
    const [, , bot, , id] = path.split('/');
    const file = this.#files.get(id?.split('.')[0] ?? '');
    if (decodeURIComponent(bot ?? '') !== `bot${this.token}`) return this.errorAnswer(401);
    return file ? { status: 200, body: file.bytes } : this.errorAnswer(404);
  }

  protected errorAnswer(status: number, retryAfter: RetryAfter | undefined = status === 429 ? 1 : undefined): Answer {
    if (retryAfter === undefined)
      return failed(new TelegramFailure(status, USUAL_DESCRIPTIONS[status] ?? `Error ${status}`));
    const description = `Too Many Requests: retry after ${retryAfter}`;
    return failed(new TelegramFailure(status, description, { retry_after: retryAfter }));
  }

  async #call(
    method: string,
    params: TelegramParams,
    signal: AbortSignal,
    files: readonly FormFile[] = [],
  ): Promise<Answer> {
    const name = method.toLowerCase();
    const action = this.#methods[name];
    const kind = FILE_METHODS[name];
    if (!action && !kind) return failed(new TelegramFailure(404, 'Not Found: method not found'));
    try {
      const result = kind ? this.#sendFile(kind, params, files) : await action!(params, signal, files);
      this.changed();
      return { status: 200, body: { ok: true, result } };
    } catch (error) {
      if (error instanceof TelegramFailure) return failed(error);
      throw error;
    }
  }

  /** By lower-case name: Telegram ignores case. */
  readonly #methods: Record<
    string,
    (params: TelegramParams, signal: AbortSignal, files: readonly FormFile[]) => unknown
  > = {
    getme: () => ({
      ...this.bot,
      can_join_groups: true,
      can_read_all_group_messages: false,
      supports_inline_queries: false,
    }),
    getupdates: (params, signal) => this.#getUpdates(params, signal),
    sendmessage: (params) => this.#sendMessage(params),
    sendmediagroup: (params, _signal, files) => {
      const media_group_id = String(++this.#albums);
      return readAlbum(params, files).map(([file, shown]) => this.#accept(params, shown, file, media_group_id));
    },
    getfile: (params) => this.#getFile(params.text('file_id')),
    sendchataction: (params) => this.#sendChatAction(params),
    answercallbackquery: (params) => params.text('callback_query_id') !== '',
    setwebhook: (params) => this.#setWebhook(params),
    deletewebhook: (params) => this.#setWebhook(new TelegramParams({ ...params.raw, url: '' })),
    getwebhookinfo: () => this.#getWebhookInfo(),
  };

  #getUpdates(params: TelegramParams, signal: AbortSignal): Promise<TelegramUpdate[]> {
    if (this.#webhook) {
      const advice = 'use deleteWebhook to delete the webhook first';
      throw new TelegramFailure(409, `Conflict: can't use getUpdates method while webhook is active; ${advice}`);
    }
    this.#allowedUpdates = (params.json('allowed_updates') as string[] | undefined) ?? this.#allowedUpdates;
    const limit = params.integer('limit', 100, 1, 100);
    return this.#updates.poll(
      { offset: params.integer('offset', 0), limit, timeout: params.integer('timeout', 0, 0, 50) },
      signal,
    );
  }

  #getFile(file_id: string): Record<string, unknown> {
    const file = this.#files.get(file_id);
    if (!file) throw new TelegramFailure(400, 'Bad Request: wrong file_id or the file is temporarily unavailable');
    const file_size = file.told ?? file.bytes.length;
    if (file.bytes.length > LARGEST_DOWNLOAD) throw new TelegramFailure(400, 'Bad Request: file is too big');
    const extension = file.filename.split('.').at(-1);
    return { file_id, file_unique_id: file_id.slice(0, 8), file_size, file_path: `files/${file_id}.${extension}` };
  }

  #sendFile(kind: string, params: TelegramParams, files: readonly FormFile[]): TelegramMessage {
    const [file, shown] = readFile(kind, params, files);
    return this.#accept(params, shown, file);
  }

  #sendMessage(params: TelegramParams): TelegramMessage {
    return this.#accept(params, showText(params.text('text'), params.text('parse_mode')));
  }

  #accept(params: TelegramParams, shown: ShownText, file?: SentFile, media_group_id?: string): TelegramMessage {
    const chat_id = chatIdOf(params.text('chat_id'));
    const chat = this.#chats.writable(chat_id);
    const reply = params.json('reply_parameters') as ReplyParameters | undefined;
    const answered =
      reply?.message_id && this.#chats.hasMessage(chat.id, reply.message_id) ? reply.message_id : undefined;
    if (reply?.message_id && !answered && !reply.allow_sending_without_reply)
      throw new TelegramFailure(400, 'Bad Request: message to be replied not found');
    refuseTooLong(shown);

    const { text, entities } = shown;
    const message_id = this.#chats.nextMessageId(chat.id);
    const at = new Date();
    const topic = params.raw['message_thread_id'] === undefined ? undefined : params.integer('message_thread_id', 0);
    const album = media_group_id === undefined ? {} : { media_group_id };
    this.sent.push({ message_id, chat_id, text, entities, params: params.raw, at, ...(file && { file }), ...album });
    const date = Math.floor(at.getTime() / 1000);
    return {
      message_id,
      from: this.bot,
      chat,
      date,
      ...(file ? { caption: text, [file.kind]: {} } : { text }),
      ...album,
      ...(entities.length > 0 && { entities }),
      ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true as const }),
      ...(answered && { reply_to_message: { message_id: answered, chat, date } }),
    };
  }

  #sendChatAction(params: TelegramParams): true {
    const chat_id = chatIdOf(params.text('chat_id'));
    this.#chats.writable(chat_id);
    const action = params.text('action');
    if (!CHAT_ACTIONS.has(action)) throw new TelegramFailure(400, 'Bad Request: wrong parameter action in request');
    const topic =
      params.raw['message_thread_id'] === undefined ? {} : { topic: params.integer('message_thread_id', 0) };
    this.actions.push({ chat_id, action, ...topic, at: new Date() });
    return true;
  }

  /** Telegram requires HTTPS. The fake also accepts `http:`, for local receivers. */
  #setWebhook(params: TelegramParams): true {
    const url = params.text('url');
    const secretToken = params.text('secret_token');
    if (url !== '' && !/^https?:\/\/./.test(url)) throw refusedWebhook('invalid webhook URL specified');
    if (secretToken.length > 256) throw refusedWebhook('secret token is too long');
    if (!/^[\w-]*$/.test(secretToken)) throw refusedWebhook('secret token contains unallowed characters');

    if (params.flag('drop_pending_updates')) this.#updates.clear();
    this.#allowedUpdates = (params.json('allowed_updates') as string[] | undefined) ?? this.#allowedUpdates;
    const maxConnections = params.integer('max_connections', 40, 1, 100);
    const webhook = url === '' ? undefined : { url, secretToken, maxConnections };
    // The same registration again changes nothing, so an update in flight is not posted twice.
    if (isDeepStrictEqual(webhook, this.#webhook)) return true;
    this.#webhook = webhook;
    this.#sender.lastError = undefined;
    if (webhook) this.#updates.interrupt('Conflict: terminated by setWebhook request');
    this.#post();
    return true;
  }

  #post(): void {
    this.#posting.abort();
    this.#posting = new AbortController();
    if (this.#webhook) void this.#sender.run(this.#webhook, this.#posting.signal);
  }

  #getWebhookInfo(): Record<string, unknown> {
    const error = this.#sender.lastError;
    return {
      url: this.#webhook?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#updates.pending.length,
      ...(error && { last_error_date: error.date, last_error_message: error.message }),
      ...(this.#webhook && { max_connections: this.#webhook.maxConnections, ip_address: '127.0.0.1' }),
      ...(this.#allowedUpdates.length > 0 && { allowed_updates: this.#allowedUpdates }),
    };
  }
}

function refusedWebhook(reason: string): TelegramFailure {
  return new TelegramFailure(400, `Bad Request: ${reason}`);
}

function failed({ code, description, parameters }: TelegramFailure): Answer {
  const retryAfter = parameters?.retry_after;
  return {
    status: code,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
  };
}
