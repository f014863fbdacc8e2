import { Injectable, Logger } from '@nestjs/common';
import { PLATFORMS, SEND_FAILURES, toPublicId, type Environment, type Platform, type SendFailure } from '#contracts';
import type {
  CallbackRequest,
  CallbackResponse,
  InboundMessage,
  InboundSink,
  LastSeen,
  OutboundPart,
  PartOutcome,
  PlatformAdapter,
  Receipt,
  SandboxAdapter,
  SendOptions,
} from '#platforms';
import { Database, statement } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Adapters } from './platforms/adapters.service';
import { directionsOf, type DirectionsDto } from './dto/direction.dto';
import type { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { IntegrationHealth } from './health/integration-health.service';
import { IntegrationStates, type PlatformState } from './connection/integration-states.service';
import { IntegrationStore } from './connection/integration-store.service';
import { LAST_SEEN } from './connection/last-seen';
import { NOTHING_REGISTERED, type InboundHandler } from './inbound-handler.port';

export type { InboundMessage as ReceivedMessage, PartOutcome, Receipt } from '#platforms';

/** How long a part may take, in milliseconds; the lease of its message is extended meanwhile. */
const PART_TIMEOUT_MS = 25_000;

const PLATFORM_ID = statement(
  'message-platform-id',
  `SELECT platform_message_id AS id FROM message_parts WHERE message_id = $1 AND platform_message_id IS NOT NULL
   ORDER BY part_index LIMIT 1`,
);

const NOT_STORED = { code: 'not_stored', message: 'What arrived could not be stored; it is taken again.' } as const;

/** What a send needs to know of a message. */
export interface SendTarget {
  id: string;
  environment: Environment;
  platform: Platform;
  address: string | null;
  content: string;
  options: { parse_mode: SendOptions['parseMode']; disable_notification: boolean; link_preview: boolean };
}

/** The platforms, for everybody else. */
@Injectable()
export class Integrations {
  private readonly logger = new Logger(Integrations.name);
  private handler: InboundHandler = NOTHING_REGISTERED;
  /** Where the last try to store something failed: each of the many that follow would say the same. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly adapters: Adapters,
    private readonly states: IntegrationStates,
    private readonly store: IntegrationStore,
    private readonly health: IntegrationHealth,
    private readonly database: Database,
  ) {}

  /** Takes the one who stores what arrives. The arrow points here from `messages`: an import the other way would be a cycle. */
  registerInbound(handler: InboundHandler): void {
    this.handler = handler;
  }

  adapter(environment: Environment, platform: Platform): PlatformAdapter {
    return this.adapters.of(environment, platform);
  }

  state(environment: Environment, platform: Platform): PlatformState {
    if (environment === 'test') return sandboxState(this.adapters.sandbox(platform));
    const adapter = this.adapters.of(environment, platform);
    if (adapter.unconfigured !== undefined) {
      return {
        status: 'disconnected',
        reason: adapter.unconfigured,
        details: {},
        connectedAt: null,
      };
    }
    return this.states.of(platform);
  }

  isConnected(environment: Environment, platform: Platform): boolean {
    return environment === 'test' || this.state(environment, platform).status === 'connected';
  }

  /** @throws ApiError PLATFORM_NOT_CONNECTED */
  assertConnected(environment: Environment, platform: Platform, recipient: string): void {
    const played = this.adapters.of(environment, platform).disconnectedFor?.(recipient);
    const { status, reason } =
      played === undefined ? this.state(environment, platform) : { status: 'disconnected' as const, reason: played };
    if (status !== 'connected') throw notConnected(platform, status, reason ?? status);
  }

  /** Under which id the conversation with a recipient is kept. */
  participantId(environment: Environment, platform: Platform, recipient: string): string {
    return this.adapters.of(environment, platform).participantId?.(recipient) ?? recipient;
  }

  split({ environment, platform, content, options }: SendTarget): OutboundPart[] {
    return this.adapters.of(environment, platform).split(content, sendOptions(options));
  }

  async sendPart(
    target: SendTarget,
    recipient: string,
    part: OutboundPart,
    replyTo: string | undefined,
  ): Promise<PartOutcome> {
    const { id, environment, platform, address, options } = target;
    const request = {
      messageId: toPublicId('message', id),
      environment,
      recipient,
      address: address ?? undefined,
      options: sendOptions(options, part.index === 0 ? replyTo : undefined),
    };
    // A sandbox send never waits; a timer per message is only for what can.
    const signal = environment === 'test' ? NEVER : AbortSignal.timeout(PART_TIMEOUT_MS);
    const outcome = await this.adapters.of(environment, platform).sendPart(request, part, signal);
    if (outcome.accepted) this.health.succeeded(environment, platform, 'sending');
    else this.sendingFailed(environment, platform, outcome.failure, outcome.concernsAccount);
    return outcome;
  }

  /** What the platform calls one of our messages, or undefined. */
  async platformIdOf(messageId: string | undefined): Promise<string | undefined> {
    if (messageId === undefined) return undefined;
    const [row] = await this.database.query<{ id: string }>(PLATFORM_ID, [messageId]);
    return row?.id;
  }

  async showTyping(
    environment: Environment,
    platform: Platform,
    recipient: string,
    address: string | null,
    answered?: string,
  ): Promise<void> {
    await this.adapters.of(environment, platform).showTyping(recipient, address ?? undefined, answered);
  }

  migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void> {
    return this.handler.migrate(environment, platform, from, to);
  }

  list(environment: Environment): IntegrationDto[] {
    return PLATFORMS.map((platform) =>
      toDto(platform, this.state(environment, platform), this.directions(environment, platform)),
    );
  }

  /** How each direction does. */
  directions(environment: Environment, platform: Platform): DirectionsDto {
    const receiving = this.health.of(environment, platform, 'receiving');
    // Of a platform that cannot be asked, nobody knows how much waits there.
    const backlog = this.isConnected(environment, platform) ? receiving.backlog : null;
    return directionsOf({ ...receiving, backlog }, this.health.of(environment, platform, 'sending'));
  }

  async reconnect(environment: Environment, platform: Platform): Promise<ReconnectionDto> {
    if (environment === 'live') {
      const { unconfigured } = this.adapters.of(environment, platform);
      if (unconfigured !== undefined) throw notConnected(platform, 'disconnected', unconfigured);
      await this.store.requestReconnect(platform);
      await this.states.refresh();
    }
    const message = 'Reconnection has started. Check the status again in 30 seconds.';
    return { platform, status: 'reconnecting', message };
  }

  /** Stores what somebody wrote. @returns the message's UUID, or undefined for a duplicate */
  receive(environment: Environment, platform: Platform, message: InboundMessage): Promise<string | undefined> {
    return this.stored(environment, platform, () => this.handler.message(environment, platform, message));
  }

  /** What a live adapter hands over to what it receives. */
  sink(platform: Platform): InboundSink {
    return {
      message: async (message) => void (await this.receive('live', platform, message)),
      receipt: (receipt) => this.confirm(platform, receipt),
      migrate: (from, to) => this.stored('live', platform, () => this.migrate('live', platform, from, to)),
      lastSeen: (limit) => this.database.query<LastSeen>(LAST_SEEN, ['live', platform, limit]),
    };
  }

  /** Hands over what a platform called in. A request that is not the platform's (401, 403, 404) says nothing about it. */
  async callback(adapter: PlatformAdapter, request: CallbackRequest): Promise<CallbackResponse> {
    const { platform } = adapter;
    const answer = await adapter.callback!(request, this.sink(platform));
    if (request.method === 'POST' && answer.status === 200) this.health.succeeded('live', platform, 'receiving');
    return answer;
  }

  /** Takes in what the platform tells of a message that we sent. */
  private async confirm(platform: Platform, receipt: Receipt): Promise<void> {
    await this.stored('live', platform, () => this.handler.receipt('live', platform, receipt));
    if (receipt.failure) this.sendingFailed('live', platform, receipt.failure, receipt.concernsAccount);
  }

  /**
   * A send that fails for ever says something about the one it was for: who has blocked the account, or a text that the
   * platform rejects, is no fault of the connection, and an alarm for it would be one for nothing.
   */
  private sendingFailed(
    environment: Environment,
    platform: Platform,
    failure: SendFailure,
    concernsAccount = false,
  ): void {
    if (!concernsAccount && !SEND_FAILURES[failure.code].retryable) return;
    this.health.failed(environment, platform, 'sending', failure);
  }

  /** What a database says of a fault is for the log: adapters repeat the error's words to operators and in events. */
  private async stored<T>(environment: Environment, platform: Platform, store: () => Promise<T>): Promise<T> {
    const source = `${environment} ${platform}`;
    try {
      const result = await store();
      this.failing.delete(source);
      this.health.succeeded(environment, platform, 'receiving');
      return result;
    } catch (error) {
      const level = this.failing.has(source) ? 'debug' : 'warn';
      this.failing.add(source);
      this.logger[level]({ err: error }, `What arrived from ${platform} could not be stored`);
      this.health.failed(environment, platform, 'receiving', NOT_STORED);
      throw new Error('the database did not take it; the log says more', { cause: error });
    }
  }
}

const NEVER = new AbortController().signal;
const startedAt = new Date();

function sandboxState({ details }: SandboxAdapter): PlatformState {
  return { status: 'connected', reason: null, details, connectedAt: startedAt };
}

function sendOptions(options: SendTarget['options'], replyTo?: string): SendOptions {
  return {
    parseMode: options.parse_mode,
    disableNotification: options.disable_notification,
    linkPreview: options.link_preview,
    replyTo,
  };
}

function notConnected(platform: Platform, status: string, reason: string): ApiError {
  return new ApiError(
    'PLATFORM_NOT_CONNECTED',
    { platform, status, reason },
    `${platform} is not connected: ${reason.replace(/\.$/, '')}.`,
  );
}

function toDto(
  platform: Platform,
  { status, reason, details, connectedAt }: PlatformState,
  directions: DirectionsDto,
): IntegrationDto {
  return {
    platform,
    status,
    details: { ...details },
    connected_at: connectedAt?.toISOString() ?? null,
    ...directions,
    ...(status !== 'connected' && { error: reason ?? status }),
  };
}
