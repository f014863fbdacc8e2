import { Injectable, Logger } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import type { InboundSink, LastSeen, MessageChange, Receipt } from '#platforms';
import { Database } from '../../core/database/database.service';
import { Metrics } from '../../core/observability/metrics.service';
import { IntegrationHealth } from '../health/integration-health.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { AccountNotices } from './account-notices.service';
import { NO_HANDLER, type InboundHandler, type ReceivedMessage } from './inbound-handler.port';
import { LAST_SEEN } from './last-seen.rows';

const NOT_STORED = { code: 'not_stored', message: 'Incoming data was not stored; it will be received again.' } as const;

/** Passes what the adapters receive to the registered handler, and records the health of receiving. */
@Injectable()
export class InboundSinks {
  private readonly logger = new Logger(InboundSinks.name);
  private handler: InboundHandler = NO_HANDLER;
  private templateListener: () => void = () => undefined;
  /** Sources whose last write failed: only the first failure in a row is logged. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly health: IntegrationHealth,
    private readonly database: Database,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    private readonly notices: AccountNotices,
  ) {}

  /** `messages` calls this because it imports this module: an import the other way would be a cycle. */
  register(handler: InboundHandler): void {
    this.handler = handler;
  }

  /** @param listener called when a platform reports that its templates changed */
  onTemplatesChanged(listener: () => void): void {
    this.templateListener = listener;
  }

  /** The sink of a live platform. */
  of(platform: Platform): InboundSink {
    return {
      message: async (message) => void (await this.receive('live', platform, message)),
      echo: (message) => this.stored('live', platform, () => this.handler.echo('live', platform, message)),
      receipt: (receipt) => this.confirm(platform, receipt),
      change: (change) => this.change('live', platform, change),
      reaction: (reaction) => this.stored('live', platform, () => this.handler.reaction('live', platform, reaction)),
      migrate: (from, to) => this.migrate('live', platform, from, to),
      notice: (notice) => this.stored('live', platform, () => this.notices.record('live', platform, notice)),
      marketing: (preference) =>
        this.stored('live', platform, () => this.handler.marketing('live', platform, preference)),
      ignored: (kind) => {
        this.metrics.updateIgnored(platform, kind);
        this.logger.debug(`An update of ${platform} was ignored: ${kind}`);
      },
      unknownAccount: (account) => void this.notices.reportUnknown('live', platform, account),
      templatesChanged: () => this.templateListener(),
      lastSeen: (limit) => this.database.query<LastSeen>(LAST_SEEN, ['live', platform, limit]),
    };
  }

  /** @returns the message's UUID, or undefined for a duplicate */
  async receive(environment: Environment, platform: Platform, message: ReceivedMessage): Promise<string | undefined> {
    const store = () => this.handler.message(environment, platform, message);
    const span = { kind: 'consumer', attributes: { 'messaging.system': platform, environment } } as const;
    try {
      const id = await this.tracer.run(`receive ${platform}`, span, () => this.stored(environment, platform, store));
      this.metrics.messageReceived(platform, environment, id === undefined ? 'duplicate' : 'stored');
      return id;
    } catch (error) {
      this.metrics.messageReceived(platform, environment, 'failed');
      throw error;
    }
  }

  change(environment: Environment, platform: Platform, change: MessageChange): Promise<void> {
    return this.stored(environment, platform, () => this.handler.change(environment, platform, change));
  }

  migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void> {
    return this.stored(environment, platform, () => this.handler.migrate(environment, platform, from, to));
  }

  private async confirm(platform: Platform, receipt: Receipt): Promise<void> {
    await this.stored('live', platform, () => this.handler.receipt('live', platform, receipt));
    const { failure, concernsAccount } = receipt;
    if (failure) this.health.sendFailed('live', platform, { failure, concernsAccount });
  }

  /** Only the log gets the database's message: adapters show the thrown message to operators and in events. */
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
      this.logger[level]({ err: error }, `Incoming data from ${platform} could not be stored`);
      this.health.failed(environment, platform, 'receiving', NOT_STORED);
      throw new Error('could not be stored; see the log', { cause: error });
    }
  }
}
