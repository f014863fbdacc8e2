import {
  type APIChannel,
  type APIGatewayBotInfo,
  type APIMessage,
  type RateLimitData,
  REST,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord.js';
import { HttpClient } from '../http/http-client';
import type { RateLimitNotice } from '../platform.port';
import type { DiscordOptions, DiscordTimings } from './discord.options';

type MakeRequest = REST['options']['makeRequest'];

/** A sum of flags is a number: no single one of the enumeration. */
export type MessageBody = Omit<RESTPostAPIChannelMessageJSONBody, 'flags'> & { flags?: number };

/** Most messages that one question gives. */
export const MESSAGE_PAGE = 100;

/**
 * The REST calls that the adapter makes, with discord.js' client and its knowledge of rate limits, over the transport
 * of all adapters, which tells whether a request was written. Nothing is repeated or waited for in here: the callers
 * know what may be. https://discord.com/developers/docs/reference
 */
export class DiscordApi {
  private readonly http = new HttpClient();
  private readonly sending: REST;
  private readonly asking: REST;

  constructor(
    private readonly options: Pick<DiscordOptions, 'token' | 'apiUrl'>,
    private readonly timings: DiscordTimings,
    private readonly limited: (notice: RateLimitNotice) => void,
  ) {
    this.sending = this.client(timings.sendMs);
    this.asking = this.client(timings.answerMs);
  }

  /** Options for a discord.js client that shall use the same transport. */
  get restOptions(): Pick<REST['options'], 'api' | 'makeRequest' | 'rejectOnRateLimit'> {
    const makeRequest = this.requests(this.timings.answerMs);
    return { api: this.root, makeRequest, rejectOnRateLimit: (limit) => this.tell(limit, false) };
  }

  /** @returns the id of the message; rejects with a TypeError if the answer is not one */
  async createMessage(channelId: string, body: MessageBody, signal: AbortSignal): Promise<string> {
    const message = (await this.authorized(this.sending).post(Routes.channelMessages(channelId), {
      body,
      signal,
    })) as Partial<APIMessage>;
    if (typeof message.id !== 'string') throw new TypeError('an answer that is not Discord’s');
    return message.id;
  }

  /** Opens a direct message, or finds the one that is open. */
  async openDirectMessage(userId: string, signal: AbortSignal): Promise<string> {
    const body = { recipient_id: userId };
    const channel = (await this.authorized(this.sending).post(Routes.userChannels(), {
      body,
      signal,
    })) as Partial<APIChannel>;
    if (typeof channel.id !== 'string') throw new TypeError('an answer that is not Discord’s');
    return channel.id;
  }

  async showTyping(channelId: string): Promise<void> {
    await this.authorized(this.asking).post(Routes.channelTyping(channelId));
  }

  async gatewayBot(signal: AbortSignal): Promise<APIGatewayBotInfo> {
    return (await this.authorized(this.asking).get(Routes.gatewayBot(), { signal })) as APIGatewayBotInfo;
  }

  async channelName(channelId: string): Promise<string | null> {
    const channel = (await this.authorized(this.asking).get(Routes.channel(channelId))) as APIChannel;
    return channel.name ?? null;
  }

  /** The next messages after the given one, at most 100, oldest first. */
  async messagesAfter(channelId: string, after: string, signal: AbortSignal): Promise<APIMessage[]> {
    const query = new URLSearchParams({ after, limit: String(MESSAGE_PAGE) });
    const messages = await this.authorized(this.asking).get(Routes.channelMessages(channelId), { query, signal });
    return (messages as APIMessage[]).reverse();
  }

  async close(): Promise<void> {
    this.sending.clearHandlerSweeper();
    this.sending.clearHashSweeper();
    this.asking.clearHandlerSweeper();
    this.asking.clearHashSweeper();
    await this.http.close();
  }

  private client(deadlineMs: number): REST {
    return new REST({
      api: this.root,
      retries: 0,
      rejectOnRateLimit: (limit) => this.tell(limit, true),
      offset: 0,
      // Only a second line of defence: the transport's own deadline comes first, with better words.
      timeout: deadlineMs * 2,
      makeRequest: this.requests(deadlineMs),
    });
  }

  /** discord.js asks here at every limit, its own and a 429 of Discord's; its event tells only of the first kind. */
  private tell({ method, route }: RateLimitData, reject: boolean): boolean {
    // Its routes keep ids that are shorter than most.
    this.limited({ call: `${method} ${route.replaceAll(/\d+/g, ':id')}` });
    return reject;
  }

  /** discord.js forgets the token at the first 401, which would make every later call fail inside this process. */
  private authorized(rest: REST): REST {
    return rest.setToken(this.options.token ?? '');
  }

  private get root(): string {
    return this.options.apiUrl.replace(/\/+$/, '');
  }

  private requests(deadlineMs: number): MakeRequest {
    return async (url, { method, headers, body, signal }) => {
      const { status, text, ...answer } = await this.http.exchange({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: headers as Record<string, string>,
        body: typeof body === 'string' ? body : undefined,
        signal: signal ?? undefined,
        deadlineMs,
      });
      // A Response must not have a body with 204.
      return new Response(text === '' ? null : text, { status, headers: answer.headers as Record<string, string> });
    };
  }
}
