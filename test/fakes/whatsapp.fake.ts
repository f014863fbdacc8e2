import { createHash, randomBytes } from 'node:crypto';
import type { RetryAfter } from './fault-queue';
import { type Answer, HttpFake, type RecordedRequest } from './http-fake';
import { WhatsAppMedia } from './whatsapp-media';
import { CallbackSender } from './whatsapp-callbacks';
import { WhatsAppSetup } from './whatsapp-setup';
import { WhatsAppTemplates } from './whatsapp-templates';
import { readSend } from './whatsapp-text';
import {
  type ChangeValue,
  KNOWN_CODES,
  type StatusDetails,
  WhatsAppFailure,
  type WhatsAppReceived,
  type WhatsAppSent,
  type WhatsAppStatus,
} from './whatsapp-types';

const VERSION = 'v26.0';

const ACCOUNT = {
  accessToken: 'EAAG-fake-token',
  phoneNumberId: '106540352242922',
  appSecret: 'fake-app-secret',
  verifyToken: 'fake-verify-token',
};

/** Plays one phone number of the WhatsApp Business Cloud API (Graph API v26.0), and the servers that call the gateway. */
export class WhatsAppFake extends HttpFake {
  readonly account: typeof ACCOUNT;
  readonly phone = '+1 555-078-3881';
  readonly name = 'Fake Business';
  readonly setup: WhatsAppSetup;
  readonly templates = new WhatsAppTemplates();
  readonly sent: WhatsAppSent[] = [];
  readonly media = new WhatsAppMedia();
  /** Messages that the gateway marked as read, in order, and whether it showed typing with it. */
  readonly reads: { messageId: string; typing: boolean }[] = [];
  /** Awaited after a send took effect and before its answer: a status may arrive before the answer. */
  beforeAnswer: (sent: WhatsAppSent) => Promise<void> = () => Promise.resolve();
  /** The numbers that the fake answers sends with, by the number that was asked for: Brazil's 9th digit, Argentina's 9, Mexico's 1. */
  readonly waIds = new Map<string, string>();
  readonly #refused = new Map<string, number>();
  readonly #received = new Set<string>();
  readonly #sender: CallbackSender;
  #nextCode: number | undefined;

  constructor(account: Partial<typeof ACCOUNT> = {}) {
    super();
    this.account = { ...ACCOUNT, ...account };
    this.setup = new WhatsAppSetup(this.account);
    this.#sender = new CallbackSender(this.account.appSecret, 20, () => this.changed());
  }

  /** The value of `WHATSAPP_API_URL`. */
  get apiUrl(): string {
    return `${this.url}/${VERSION}`;
  }

  /** The variables of a gateway that uses this fake. */
  get env(): Record<string, string> {
    return {
      WHATSAPP_ACCESS_TOKEN: this.account.accessToken,
      WHATSAPP_PHONE_NUMBER_ID: this.account.phoneNumberId,
      WHATSAPP_APP_SECRET: this.account.appSecret,
      WHATSAPP_VERIFY_TOKEN: this.account.verifyToken,
      WHATSAPP_API_URL: this.apiUrl,
      WHATSAPP_BUSINESS_ACCOUNT_ID: this.setup.businessAccountId,
    };
  }

  /** Sets the callback URL; undefined: notifications wait. */
  subscribe(url: string | undefined): void {
    this.#sender.subscribe(url);
  }

  /** Also ends posting notifications; {@link stop} alone is an outage of the API. */
  override async shutDown(): Promise<void> {
    await this.#sender.stop();
    await this.stop();
  }

  /** A person writes. @returns the message's id */
  receiveText(received: WhatsAppReceived): string {
    const { text, ...sender } = received;
    return this.receive({ type: 'text', text: { body: text } }, sender);
  }

  /** A person writes a text that quotes a message. @returns the message's id */
  receiveReply({ text, ...sender }: WhatsAppReceived, quotedId: string): string {
    const context = { from: this.phone.replace(/\D/g, ''), id: quotedId };
    return this.receive({ type: 'text', text: { body: text }, context }, sender);
  }

  /** A person edits a text. */
  receiveEdit({ text, ...sender }: WhatsAppReceived, originalId: string): void {
    const message = { type: 'text', text: { body: text } };
    this.receive({ type: 'edit', edit: { original_message_id: originalId, message } }, sender);
  }

  /** A person deletes a message. */
  receiveRevoke(originalId: string, sender: Omit<WhatsAppReceived, 'text'>): void {
    this.receive({ type: 'revoke', revoke: { original_message_id: originalId } }, sender);
  }

  /** A person sends any message (`{type: 'image', image: {…}}`). @returns its id */
  receive(message: Record<string, unknown>, sender: Omit<WhatsAppReceived, 'text'>): string {
    const value = this.messageValue(message, sender);
    this.notify(value);
    return ((value['messages'] as { id: string }[])[0] ?? { id: '' }).id;
  }

  /** The change that reports a message, for batches. */
  messageValue(message: Record<string, unknown>, sender: Omit<WhatsAppReceived, 'text'>): ChangeValue {
    const { from, userId, name = `Person ${from ?? userId}`, username } = sender;
    const id = wamid();
    this.#received.add(id);
    return {
      ...this.#valueHead(),
      contacts: [
        {
          profile: { name, ...(username && { username }) },
          ...(from && { wa_id: from }),
          ...(userId && { user_id: userId }),
        },
      ],
      messages: [
        {
          ...(from && { from }),
          ...(userId && { from_user_id: userId }),
          id,
          timestamp: seconds(new Date()),
          ...message,
        },
      ],
    };
  }

  /** The change that reports the status of a sent message. */
  statusValue(
    { id, to, callbackData }: WhatsAppSent,
    status: WhatsAppStatus,
    details: StatusDetails = {},
  ): ChangeValue {
    const { at = new Date(), code } = details;
    const failure = code === undefined ? undefined : failureOf(code);
    return {
      ...this.#valueHead(),
      statuses: [
        {
          id,
          status,
          timestamp: seconds(at),
          recipient_id: to,
          ...(callbackData !== undefined && { biz_opaque_callback_data: callbackData }),
          ...(failure && {
            errors: [{ code, title: failure.title, message: failure.title, error_data: { details: 'See the title.' } }],
          }),
        },
      ],
    };
  }

  /** Posts changes as one notification, again until the gateway accepts it. */
  notify(...values: ChangeValue[]): void {
    this.#sender.push(this.notification(...values));
  }

  /** Posts changes once, at once. @returns the status of the answer; 0: no answer */
  post(...values: ChangeValue[]): Promise<number> {
    return this.#sender.post(this.notification(...values));
  }

  notification(...values: ChangeValue[]): Record<string, unknown> {
    return this.notificationOf('messages', ...values);
  }

  notificationOf(field: string, ...values: ChangeValue[]): Record<string, unknown> {
    const changes = values.map((value) => ({ field, value }));
    return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes }] };
  }

  /** Posts a change of another field (`account_update`) once, at once. @returns the status of the answer; 0: no answer */
  postChange(field: string, value: ChangeValue): Promise<number> {
    return this.#sender.post(this.notificationOf(field, value));
  }

  /** Posts that a template has changed. @returns the status of the answer */
  postTemplateUpdate(field = 'message_template_status_update'): Promise<number> {
    return this.#sender.post(this.notificationOf(field, { event: 'APPROVED' }));
  }

  /** Posts a change of any field, about the number or, without `metadata`, about the business account. */
  postField(field: string, value: ChangeValue): Promise<number> {
    return this.#sender.post(this.notificationOf(field, value));
  }

  /** Posts a message that the business wrote on its phone. @param message with `id` and `to` */
  postEcho(message: Record<string, unknown>): Promise<number> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const value = {
      ...this.#valueHead(),
      message_echoes: [{ from: this.phone.replace(/\D/g, ''), timestamp, ...message, ...plus(message['to']) }],
    };
    return this.#sender.post(this.notificationOf('smb_message_echoes', value));
  }

  /** The signature of a body. */
  sign(body: string): string {
    return this.#sender.sign(body);
  }

  get pendingNotifications(): number {
    return this.#sender.pending.length;
  }

  /** Status codes of the gateway's answers to notifications, in order. */
  get answers(): readonly number[] {
    return this.#sender.answers;
  }

  /** From now on the fake refuses sends to this recipient with the code. */
  refuse(recipient: string, code: number): void {
    this.#refused.set(recipient, code);
  }

  /** The fake refuses the next send with the code, for any recipient. */
  refuseNextSend(code: number): void {
    this.#nextCode = code;
  }

  /** Resolves with all accepted messages once there are `count` of them. */
  async waitForSent(count: number, timeoutMs?: number): Promise<WhatsAppSent[]> {
    const enough = () => this.sent.length >= count;
    await this.waitUntil(enough, () => `${this.sent.length} of ${count} messages were sent`, timeoutMs);
    return this.sent;
  }

  protected operationOf(path: string): string {
    const [, version, id, edge] = path.split('/');
    if (version === 'file') return 'file';
    if (edge === 'message_templates') return 'templates';
    if (edge === 'messages' || edge === 'media') return edge;
    return id !== undefined && this.media.get(id) ? 'media_url' : 'phone';
  }

  protected async handle(request: RecordedRequest): Promise<Answer> {
    try {
      if (request.operation === 'file') return this.#download(request);
      const body = await this.#answer(request);
      this.changed();
      return { status: 200, body };
    } catch (error) {
      if (error instanceof WhatsAppFailure) return { status: error.status, body: { error: error.error } };
      throw error;
    }
  }

  protected errorAnswer(status: number, retryAfter?: RetryAfter): Answer {
    const code = { 401: 190, 403: 10, 429: 4 }[status] ?? (status >= 500 ? 2 : 100);
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { status, headers, body: { error: new WhatsAppFailure(status, code, `Error ${status}`).error } };
  }

  /** The URL is valid for five minutes and needs the token. */
  #download({ path, query, headers }: RecordedRequest): Answer {
    const file = this.media.get(path.split('/').at(-1) ?? '');
    if (headers.authorization !== `Bearer ${this.account.accessToken}`) return { status: 401, body: '' };
    if (!headers['user-agent']) return { status: 400, body: '<html>Sorry, something went wrong.</html>' };
    if (!file || Number(query.get('expires')) < Date.now()) return { status: 404, body: '' };
    return { status: 200, headers: { 'content-type': file.type }, body: file.bytes };
  }

  #mediaUrl(id: string): Record<string, unknown> | undefined {
    const file = this.media.get(id);
    if (!file) return undefined;
    const url = `${this.url}/file/${id}?expires=${Date.now() + 300_000}`;
    const sha256 = createHash('sha256').update(file.bytes).digest('hex');
    return { messaging_product: 'whatsapp', url, mime_type: file.type, sha256, file_size: file.bytes.length, id };
  }

  async #answer({ method, path, headers, body, query, files }: RecordedRequest): Promise<Record<string, unknown>> {
    const told = this.setup.answer(path.slice(VERSION.length + 2), headers.authorization, query);
    if (told) return told;
    if (headers.authorization !== `Bearer ${this.account.accessToken}`) throw failureOf(190);
    const phonePath = `/${VERSION}/${this.account.phoneNumberId}`;
    if (method === 'POST' && path === `${phonePath}/messages`) {
      return 'status' in body ? this.#markRead(body) : this.#send(body);
    }
    if (method === 'POST' && path === `${phonePath}/media`) return this.media.upload(files, body);
    if (method === 'GET' && path === `/${VERSION}/${this.setup.businessAccountId}/message_templates`)
      return this.templates.page(query);
    if (method === 'GET' && path === phonePath) return this.#fields(query);
    const found = method === 'GET' ? this.#mediaUrl(path.slice(VERSION.length + 2)) : undefined;
    if (found) return found;
    const title = `Unsupported ${method.toLowerCase()} request. Object does not exist`;
    throw new WhatsAppFailure(400, 100, title, undefined, 33);
  }

  #fields(query: URLSearchParams): Record<string, unknown> {
    const known = { display_phone_number: this.phone, verified_name: this.name };
    const asked = query.get('fields')?.split(',') ?? Object.keys(known);
    const unknown = asked.find((field) => !(field in known));
    if (unknown) throw new WhatsAppFailure(400, 100, `Tried accessing nonexisting field (${unknown})`);
    const fields = Object.entries(known).filter(([field]) => asked.includes(field));
    return { ...Object.fromEntries(fields), id: this.account.phoneNumberId };
  }

  async #send(params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { to, ...message } = readSend(params, this.media, this.templates);
    const code = this.#nextCode ?? this.#refused.get(to);
    this.#nextCode = undefined;
    if (code !== undefined) throw failureOf(code);
    const sent: WhatsAppSent = { id: wamid(), to, ...message, params, at: new Date() };
    this.sent.push(sent);
    this.changed();
    await this.beforeAnswer(sent);
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, ...(params['to'] ? { wa_id: this.#waIdOf(to) } : { user_id: to }) }],
      messages: [{ id: sent.id }],
    };
  }

  #waIdOf(to: string): string {
    const number = to.replace(/\D/g, '');
    return this.waIds.get(number) ?? number;
  }

  #markRead({ status, message_id: id, typing_indicator: typing }: Record<string, unknown>): Record<string, unknown> {
    if (status !== 'read' || typeof id !== 'string' || !this.#received.has(id)) throw failureOf(100);
    this.reads.push({ messageId: id, typing: (typing as { type?: string } | undefined)?.type === 'text' });
    return { success: true };
  }

  #valueHead(): ChangeValue {
    const metadata = {
      display_phone_number: this.phone.replace(/\D/g, ''),
      phone_number_id: this.account.phoneNumberId,
    };
    return { messaging_product: 'whatsapp', metadata };
  }
}

/** Echoes name people with a plus. */
function plus(to: unknown): { to?: string } {
  return typeof to === 'string' && /^\d+$/.test(to) ? { to: `+${to}` } : {};
}

function failureOf(code: number): WhatsAppFailure {
  const [status, title] = KNOWN_CODES[code] ?? [400, `Error ${code}`];
  return new WhatsAppFailure(status, code, title);
}

function wamid(): string {
  return `wamid.${randomBytes(30).toString('base64')}`;
}

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1_000));
}
