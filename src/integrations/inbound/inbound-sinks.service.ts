import { Injectable, Logger } from '@nestjs/common';
import type { AccountKey } from '#contracts';
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
  private templateListener: (at: AccountKey) => void = () => undefined;
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
  onTemplatesChanged(listener: (at: AccountKey) => void): void {
    this.templateListener = listener;
  }

  /** The sink of a live account. */
  of(at: AccountKey): InboundSink {
    const { environment, platform, account } = at;
    return {
      message: async (message) => void (await this.receive(at, message)),
      echo: (message) => this.stored(at, () => this.handler.echo(at, message)),
      receipt: (receipt) => this.confirm(at, receipt),
      change: (change) => this.change(at, change),
      reaction: (reaction) => this.stored(at, () => this.handler.reaction(at, reaction)),
      migrate: (from, to) => this.migrate(at, from, to),
      notice: (notice) => this.stored(at, () => this.notices.record(at, notice)),
      marketing: (preference) => this.stored(at, () => this.handler.marketing(at, preference)),
      ignored: (kind) => {
        this.metrics.updateIgnored(platform, kind);
        this.logger.debug(`An update of ${platform} was ignored: ${kind}`);
      },
      unknownAccount: (unknown) => void this.notices.reportUnknown(at, unknown),
      templatesChanged: () => this.templateListener(at),
      lastSeen: (limit) => this.database.query<LastSeen>(LAST_SEEN, [environment, platform, limit, account]),
    };
  }

  /** @returns the message's UUID, or undefined for a duplicate */
  async receive(at: AccountKey, message: ReceivedMessage): Promise<string | undefined> {
    const { environment, platform } = at;
    const store = () => this.handler.message(at, message);
    const span = { kind: 'consumer', attributes: { 'messaging.system': platform, environment } } as const;
    try {
      const id = await this.tracer.run(`receive ${platform}`, span, () => this.stored(at, store));
      this.metrics.messageReceived(platform, environment, id === undefined ? 'duplicate' : 'stored');
      return id;
    } catch (error) {
      this.metrics.messageReceived(platform, environment, 'failed');
      throw error;
    }
  }

  change(at: AccountKey, change: MessageChange): Promise<void> {
    return this.stored(at, () => this.handler.change(at, change));
  }

  migrate(at: AccountKey, from: string, to: string): Promise<void> {
    return this.stored(at, () => this.handler.migrate(at, from, to));
  }

  private async confirm(at: AccountKey, receipt: Receipt): Promise<void> {
    await this.stored(at, () => this.handler.receipt(at, receipt));
    const { failure, concernsAccount } = receipt;
    if (failure) this.health.sendFailed(at, { failure, concernsAccount });
  }

  /** Only the log gets the database's message: adapters show the thrown message to operators and in events. */
  private async stored<T>(at: AccountKey, store: () => Promise<T>): Promise<T> {
    const source = `${at.environment} ${at.platform} ${at.account}`;
    try {
      const result = await store();
      this.failing.delete(source);
      this.health.succeeded(at, 'receiving');
      return result;
    } catch (error) {
      const level = this.failing.has(source) ? 'debug' : 'warn';
      this.failing.add(source);
      this.logger[level]({ err: error }, `Incoming data from ${at.platform} could not be stored`);
      this.health.failed(at, 'receiving', NOT_STORED);
      throw new Error('could not be stored; see the log', { cause: error });
    }
  }
}
