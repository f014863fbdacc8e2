import {
  type APIApplication,
  type APIChannel,
  type APIGatewayBotInfo,
  type APIMessage,
  ChannelType,
  InteractionResponseType,
  type RateLimitData,
  REST,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord.js';
import { type FormFile, HttpClient, multipart, retryAfterOf, type Upload } from '#http-client';
import { UnreadableError } from '../fault-words';
import type { RateLimitNotice } from '../platform.port';
import { uploadMs } from '../media/upload-time';
import type { DiscordOptions, DiscordTimings } from './discord.options';
import { withStringIds } from './inbound/message-ids';
import { isLater, isSnowflake } from './snowflake';

type MakeRequest = REST['options']['makeRequest'];

/** `flags` is a sum of flags: a number, not a member of the enumeration. */
export type MessageBody = Omit<RESTPostAPIChannelMessageJSONBody, 'flags'> & { flags?: number };

/** Fields that discord.js reads unchecked and that other servers may leave out. */
const GATEWAY_BOT = {
  shards: 1,
  session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 },
};

/** Ten of the largest files. */
const LONGEST_UPLOAD_MS = uploadMs([{ sizeBytes: 1_000 * 1_024 * 1_024 }]);

/** The most messages in one answer. */
export const MESSAGE_PAGE = 100;

/**
 * The REST calls that the adapter makes, with discord.js' client and its knowledge of rate limits, over the transport
 * of all adapters, which tells whether a request was written. It never retries or waits for a limit: only the callers know
 * whether a call may be repeated. https://discord.com/developers/docs/reference
 */
export class DiscordApi {
  /** Called for every limit that a call met. */
  onRateLimit: (notice: RateLimitNotice) => void = () => undefined;
  readonly http = new HttpClient();
  private readonly sending: REST;
  private readonly asking: REST;

  constructor(
    private readonly options: Pick<DiscordOptions, 'token' | 'apiUrl'>,
    timings: DiscordTimings,
    /** Called for every send that Discord refuses because of the token. */
    tokenRefused: () => void,
  ) {
    this.sending = this.client(timings.sendMs, tokenRefused);
    this.asking = this.client(timings.answerMs);
  }

  /** The REST client in the form that discord.js's gateway client takes. */
  get rest(): REST {
    return this.authorized(this.asking);
  }

  /** @returns the id of the message; rejects with a TypeError if the answer is not one */
  async createMessage(
    channelId: string,
    content: MessageBody,
    files: readonly FormFile[],
    signal: AbortSignal,
  ): Promise<string> {
    const body = files.length > 0 ? multipart({ payload_json: JSON.stringify(content) }, files) : content;
    const message = (await this.authorized(this.sending).post(Routes.channelMessages(channelId), {
      body,
      // discord.js would hold the whole form in memory.
      passThroughBody: files.length > 0,
      signal,
    })) as Partial<APIMessage>;
    return idOf(message);
  }

  /** How far the guild of a channel is boosted; undefined for a direct message. */
  async premiumTier(channelId: string): Promise<unknown> {
    const channel = (await this.authorized(this.asking).get(Routes.channel(channelId))) as { guild_id?: string };
    if (!channel.guild_id) return undefined;
    const guild = (await this.authorized(this.asking).get(Routes.guild(channel.guild_id))) as {
      premium_tier?: unknown;
    };
    return guild.premium_tier;
  }

  /** Opens a direct message, or finds the one that is open. */
  async openDirectMessage(userId: string, signal: AbortSignal): Promise<string> {
    const body = { recipient_id: userId };
    const channel = (await this.authorized(this.sending).post(Routes.userChannels(), {
      body,
      signal,
    })) as Partial<APIChannel>;
    return idOf(channel);
  }

  /** Acknowledges a tap without changing the message. */
  async acknowledgeInteraction(id: string, token: string): Promise<void> {
    const body = { type: InteractionResponseType.DeferredMessageUpdate };
    await this.authorized(this.asking).post(Routes.interactionCallback(id, token), { body, auth: false });
  }

  async showTyping(channelId: string): Promise<void> {
    await this.authorized(this.asking).post(Routes.channelTyping(channelId));
  }

  /** Signs the address of an attachment again; undefined if Discord no longer signs it. */
  async refreshUrl(url: string, signal: AbortSignal): Promise<string | undefined> {
    const body = { attachment_urls: [url] };
    const answer = await this.authorized(this.asking).post('/attachments/refresh-urls', { body, signal });
    const { refreshed_urls: urls } = answer as { refreshed_urls?: unknown };
    if (!Array.isArray(urls)) throw new UnreadableError('an answer that is not Discord’s');
    const [first] = urls as ({ refreshed?: unknown } | undefined)[];
    return typeof first?.refreshed === 'string' ? first.refreshed : undefined;
  }

  async me(signal: AbortSignal): Promise<{ id: string; username: string }> {
    const me = (await this.authorized(this.asking).get(Routes.user(), { signal })) as {
      id?: unknown;
      username?: string;
    };
    return { id: idOf(me), username: me.username ?? '' };
  }

  async gatewayBot(signal: AbortSignal): Promise<APIGatewayBotInfo> {
    return (await this.authorized(this.asking).get(Routes.gatewayBot(), { signal })) as APIGatewayBotInfo;
  }

  /** The public flags of the application, which include its privileged intents; undefined if the server leaves them out. */
  async applicationFlags(signal: AbortSignal): Promise<number | undefined> {
    const application = await this.authorized(this.asking).get(Routes.currentApplication(), { signal });
    const { flags } = application as Partial<APIApplication>;
    return typeof flags === 'number' ? flags : undefined;
  }

  /** The person of a direct message; undefined for another channel. */
  async personOf(channelId: string, signal: AbortSignal): Promise<string | undefined> {
    const channel = (await this.authorized(this.asking).get(Routes.channel(channelId), { signal })) as APIChannel;
    return channel.type === ChannelType.DM && channel.recipients?.[0] ? idOf(channel.recipients[0]) : undefined;
  }

  async channelName(channelId: string): Promise<string | null> {
    const channel = (await this.authorized(this.asking).get(Routes.channel(channelId))) as APIChannel;
    return channel.name ?? null;
  }

  /** The next messages after the given one, at most 100, oldest first. */
  async messagesAfter(channelId: string, after: string, signal: AbortSignal): Promise<APIMessage[]> {
    const query = new URLSearchParams({ after, limit: String(MESSAGE_PAGE) });
    const messages = await this.authorized(this.asking).get(Routes.channelMessages(channelId), { query, signal });
    // Discord answers newest first; other servers use any order.
    return (messages as APIMessage[]).map(withStringIds).toSorted(byId);
  }

  async close(): Promise<void> {
    this.sending.clearHandlerSweeper();
    this.sending.clearHashSweeper();
    this.asking.clearHandlerSweeper();
    this.asking.clearHashSweeper();
    await this.http.close();
  }

  private client(deadlineMs: number, tokenRefused?: () => void): REST {
    return new REST({
      api: this.root,
      retries: 0,
      rejectOnRateLimit: (limit) => this.tell(limit),
      offset: 0,
      // A second limit: the transport's own deadline comes first and has a better message.
      timeout: deadlineMs * 2 + LONGEST_UPLOAD_MS,
      makeRequest: this.requests(deadlineMs, tokenRefused),
    });
  }

  /** discord.js calls this at its own limits and at each 429 of Discord; its event covers only its own. */
  private tell({ method, route }: RateLimitData): boolean {
    // discord.js leaves short ids in its routes.
    this.onRateLimit({ call: `${method} ${route.replaceAll(/\d+/g, ':id')}` });
    return true;
  }

  /** discord.js forgets the token at the first 401, which would make every later call fail inside this process. */
  private authorized(rest: REST): REST {
    return rest.setToken(this.options.token ?? '');
  }

  /** Without a version: discord.js adds its own. */
  private get root(): string {
    return this.options.apiUrl.replace(/(?<!\/)\/+$/, '').replace(/(?<!\/)\/+v\d+$/, '');
  }

  private requests(deadlineMs: number, tokenRefused?: () => void): MakeRequest {
    return async (url, { method, headers, body, signal }) => {
      const upload = isUpload(body) ? body : undefined;
      const { status, text, ...answer } = await this.http.exchange({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: headers as Record<string, string>,
        body: typeof body === 'string' ? body : upload,
        signal: signal ?? undefined,
        deadlineMs: deadlineMs + (upload ? uploadMs([{ sizeBytes: upload.length }]) : 0),
      });
      if (status === 401) tokenRefused?.();
      const told = status === 200 && url.endsWith(Routes.gatewayBot()) ? withDefaults(text) : text;
      const known = { ...(answer.headers as Record<string, string>) };
      // discord.js reads only seconds, not dates.
      if (status === 429) known['retry-after'] = String((retryAfterOf(answer.headers) ?? 1_000) / 1_000);
      // A Response must not have a body with 204.
      return new Response(told === '' ? null : told, { status, headers: known });
    };
  }
}

function isUpload(body: unknown): body is Upload {
  return typeof body === 'object' && body !== null && 'open' in body && 'length' in body;
}

/** Leaves an object without an id as it is: its reader refuses it. */
function byId({ id: one }: APIMessage, { id: other }: APIMessage): number {
  if (!isSnowflake(one) || !isSnowflake(other)) return 0;
  return one === other ? 0 : isLater(one, other) ? 1 : -1;
}

/** Some servers send ids as numbers. A number above 2^53 was rounded and names another object. */
function idOf({ id }: { id?: unknown }): string {
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) throw new TypeError('an answer that is not Discord’s');
  return String(id);
}

/** Completes an answer of `GET /gateway/bot`; leaves anything but an object as it is. */
function withDefaults(text: string): string {
  const given = parse(text);
  if (!given) return text;
  const session_start_limit = { ...GATEWAY_BOT.session_start_limit, ...given.session_start_limit };
  return JSON.stringify({ ...GATEWAY_BOT, ...given, session_start_limit });
}

function parse(text: string): Partial<APIGatewayBotInfo> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
