import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, Repository } from 'typeorm';
import { DEFAULT_ACCOUNT, PLATFORM_NAMES, sanitizeText, type AccountKey, type Environment } from '#contracts';
import type { AccountNotice } from '#platforms';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { boundedJson } from '../../core/validation/bounded-json';
import { IntegrationNoticeEntity } from '../entities/integration-notice.entity';
import { RECORD_NOTICE } from './account-notices.rows';

const LONGEST_KIND = 100;
const LONGEST_MESSAGE = 1_000;
const MOST_LISTED = 100;
const HOUR_MS = 3_600_000;

/** Stores what platforms say about accounts: an event each, and a problem unless it is only for information. */
@Injectable()
export class AccountNotices {
  private readonly logger = new Logger(AccountNotices.name);

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
    @InjectRepository(IntegrationNoticeEntity) private readonly notices: Repository<IntegrationNoticeEntity>,
  ) {}

  /**
   * A platform delivers a notice again if the first answer was lost: the same one is stored once within 24 hours.
   * @param cause groups the notices of a problem
   */
  async record(at: AccountKey, notice: AccountNotice, cause = notice.kind): Promise<void> {
    const { environment, platform, account } = at;
    const { severity, occurredAt } = notice;
    const now = this.clock.date();
    const kind = sanitizeText(notice.kind, LONGEST_KIND);
    const message = sanitizeText(notice.message, LONGEST_MESSAGE);
    const since = occurredAt && !Number.isNaN(occurredAt.getTime()) ? occurredAt : now;
    const digest = createHash('sha256')
      .update(JSON.stringify([environment, platform, ...(account === DEFAULT_ACCOUNT ? [] : [account]), notice]))
      .digest();
    const event = this.events.create('integration.notice', {
      platform,
      account: this.accounts.shown(at),
      environment,
      kind,
      severity,
      message,
      data: boundedJson(notice.data) ?? {},
      occurred_at: since.toISOString(),
    });
    const values = [environment, platform, sanitizeText(cause, LONGEST_KIND), severity, message, event.id, now];
    const key = `notice ${digest.toString('hex')}`;
    const stored = await this.database.query(RECORD_NOTICE, [...values, eventRows([event]), key, digest, account]);
    if (stored.length === 0) return;
    this.logger[severity === 'info' ? 'log' : 'warn'](`${PLATFORM_NAMES[platform]} reports ${kind}: ${message}`);
    this.events.publish([event]);
  }

  /** A platform delivered something for an account that the gateway does not have: reported once an hour for each account. */
  async reportUnknown(at: AccountKey, account: string): Promise<void> {
    const notice: AccountNotice = {
      kind: 'unknown_account',
      severity: 'warning',
      message: `Messages for ${account} are lost: the gateway has no account with this id.`,
      data: { account },
      // The hour: all notices of an hour are the same one.
      occurredAt: new Date(Math.floor(this.clock.now() / HOUR_MS) * HOUR_MS),
    };
    await this.record(at, notice, `${notice.kind} ${account}`).catch((error: unknown) => {
      this.logger.warn({ err: error }, notice.message);
    });
  }

  /** Warnings and worse, the newest first. */
  since(environment: Environment, since: Date): Promise<IntegrationNoticeEntity[]> {
    const where = { environment, lastAt: MoreThanOrEqual(since) };
    return this.notices.find({ where, order: { lastAt: 'DESC' }, take: MOST_LISTED });
  }
}
