import { Injectable } from '@nestjs/common';
import {
  DEFAULT_ACCOUNT,
  SEND_FAILURES,
  toPublicId,
  type AccountKey,
  type Environment,
  type Platform,
} from '#contracts';
import { Accounts } from '../../../accounts/accounts.service';
import type { SendingDto } from '../../../integrations/dto/direction.dto';
import type { IntegrationNoticeEntity } from '../../../integrations/entities/integration-notice.entity';
import { AccountNotices } from '../../../integrations/inbound/account-notices.service';
import { Integrations } from '../../../integrations/integrations.service';
import type { Problem, ProblemSource } from '../problem';
import { ProblemEvents, type EventGroup } from './problem-events.service';
import { inSentence, platformTitle } from './titles';

/** An account's current fault. */
interface Trouble {
  at: AccountKey;
  /** For people: the platform, and the account if the platform has several. */
  name: string;
  isConnected: boolean;
  isFatal: boolean;
  reason: string;
  code?: string;
  /** Earlier errors are over. */
  since: Date;
}

/** Platforms that are configured but not connected, or on which receiving or sending currently fails, and warnings about accounts. */
@Injectable()
export class IntegrationProblems implements ProblemSource {
  constructor(
    private readonly events: ProblemEvents,
    private readonly integrations: Integrations,
    private readonly accounts: Accounts,
    private readonly notices: AccountNotices,
  ) {}

  async find(environment: Environment, since: Date): Promise<Problem[]> {
    const found = await Promise.all([
      this.findTroubles(environment),
      this.findRefusedCredentials(environment),
      this.notices.since(environment, since).then((notices) => notices.map((notice) => this.toNoticeProblem(notice))),
    ]);
    return found.flat();
  }

  /** Platforms that stay connected but refuse the credentials of sends. The next send that succeeds ends it. */
  private async findRefusedCredentials(environment: Environment): Promise<Problem[]> {
    const since = new Map<string, Date>();
    const refused = this.integrations.used(environment).filter((at) => {
      const { sending } = this.integrations.directions(at);
      const isRefused = sending.last_error_code === 'auth_failed' && isUnresolved(sending);
      if (!isRefused || !this.integrations.isConnected(at)) return false;
      since.set(`${at.platform} auth_failed`, new Date(sending.last_success_at ?? 0));
      return true;
    });
    if (since.size === 0) return [];
    const groups = await this.events.groups(environment, 'message.failed', (cause) => since.get(cause));
    return groups.map(({ cause, count, firstAt, lastAt, events }) => {
      const platform = cause.split(' ')[0] as Platform;
      const concerned = refused.filter((at) => at.platform === platform).map((at) => this.accounts.shown(at));
      const name = platformTitle(this.accounts, environment, platform, concerned);
      return {
        kind: 'integration_error',
        cause,
        severity: 'critical',
        title: `${name} refuses messages: ${inSentence(SEND_FAILURES.auth_failed.message)}`,
        count,
        firstAt,
        lastAt,
        subject: { type: 'integration', id: platform },
        samples: events.map(({ id }) => id),
      };
    });
  }

  private async findTroubles(environment: Environment): Promise<Problem[]> {
    const troubles = this.integrations.used(environment).flatMap((at) => this.troubleOf(at) ?? []);
    if (troubles.length === 0) return [];
    const troubleWith = (cause: string) => troubles.find(({ at }) => cause.startsWith(`${at.platform} `));
    const groups = await this.events.groups(environment, 'integration.error', (cause) => troubleWith(cause)?.since);
    return troubles.flatMap((trouble) => {
      const { at, code } = trouble;
      const own = groups.filter(({ cause }) => cause.startsWith(`${at.platform} `));
      const named = own.find(({ cause }) => cause === `${at.platform} ${code}`);
      const group = named ?? own.toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())[0];
      return group && (named || !trouble.isConnected) ? [toProblem(trouble, group)] : [];
    });
  }

  private troubleOf(at: AccountKey): Trouble | undefined {
    const { status, reason, connectedAt } = this.integrations.state(at);
    const { receiving, sending } = this.integrations.directions(at);
    const failing = [receiving, sending].find((direction) => isFailing(direction));
    const isConnected = status === 'connected';
    if (isConnected && !failing) return undefined;
    return {
      at,
      name: this.nameOf(at),
      isConnected,
      isFatal: status === 'disconnected',
      reason: (isConnected ? failing?.last_error : reason) ?? status,
      code: failing?.last_error_code ?? undefined,
      since: isConnected ? new Date(0) : (connectedAt ?? new Date(0)),
    };
  }

  private nameOf(at: AccountKey): string {
    return platformTitle(this.accounts, at.environment, at.platform, [this.accounts.shown(at)]);
  }

  private toNoticeProblem(notice: IntegrationNoticeEntity): Problem {
    const { environment, platform, account, cause, severity, message, count, firstAt, lastAt, eventIds } = notice;
    const at = { environment, platform, account };
    return {
      kind: 'integration_error',
      cause: `${causeOf(at)} ${cause}`,
      severity,
      title: `${this.nameOf(at)} reports: ${inSentence(message.replace(/[.]$/, ''))}.`,
      count,
      firstAt,
      lastAt,
      subject: { type: 'integration', id: platform },
      samples: eventIds.map((id) => toPublicId('event', id)),
    };
  }
}

/** The cause of an account's problems, which stays the platform for the account of the environment. */
function causeOf({ platform, account }: AccountKey): string {
  return account === DEFAULT_ACCOUNT ? platform : `${platform} ${toPublicId('account', account)}`;
}

/** Whether a direction fails. A failed send is a problem of its message instead. */
function isFailing(direction: SendingDto): boolean {
  const { last_error_code: code } = direction;
  return isUnresolved(direction) && code !== null && !Object.hasOwn(SEND_FAILURES, code);
}

function isUnresolved({ last_success_at: success, last_error_at: error }: SendingDto): boolean {
  return error !== null && (success === null || error > success);
}

function toProblem(
  { at, name, isConnected, isFatal, reason }: Trouble,
  { count, firstAt, lastAt, events }: EventGroup<'integration.error'>,
): Problem {
  const state = isConnected ? `An operation fails on ${name}` : `${name} is not connected`;
  return {
    kind: 'integration_error',
    cause: causeOf(at),
    severity: isFatal ? 'critical' : 'warning',
    title: `${state}: ${inSentence(reason.replace(/[.]$/, ''))}.`,
    count,
    firstAt,
    lastAt,
    subject: { type: 'integration', id: at.platform },
    samples: events.map(({ id }) => id),
  };
}
