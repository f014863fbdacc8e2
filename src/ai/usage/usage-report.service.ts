import { Injectable } from '@nestjs/common';
import { hasScope, toPublicId, type Environment, type Platform, type Scope } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { AiUsageQuery, AiUsageReportDto, UsageGroup } from '../dto/usage-report.dto';
import { usageReport, type UsageRow } from './usage-report.rows';

/** Scopes that a group needs beside `read:status`. */
const SCOPES: Readonly<Partial<Record<UsageGroup, Scope>>> = {
  key: 'admin:settings',
  conversation: 'read:conversations',
};

/** Reads what the AI used in a period, by group. */
@Injectable()
export class UsageReports {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /** @throws ApiError INSUFFICIENT_PERMISSIONS */
  async read({ environment, scopes }: Caller, query: AiUsageQuery): Promise<AiUsageReportDto> {
    const { start_date: start = null, end_date: end = null, time_zone: zone, group_by: group } = query;
    const scope = SCOPES[group];
    if (scope && !hasScope(scopes, scope))
      throw new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: scope, key_scopes: [...scopes] });
    const values = [environment, start, end, zone, this.clock.date()];
    const [row] = await this.database.query<UsageRow & Record<string, unknown>>(usageReport(group), values);
    return {
      period: { start: row!.start.toISOString(), end: row!.until.toISOString() },
      items: row!.items.map(({ group: named, requests, tokens, cost_usd }) => ({
        [group]: this.shown(environment, group, named),
        requests,
        tokens,
        cost_usd,
      })),
    };
  }

  private shown(environment: Environment, group: UsageGroup, named: string | null): string | null {
    if (named === null || group === 'day' || group === 'model') return named;
    if (group !== 'account') return toPublicId(group === 'key' ? 'api_key' : group, named);
    const [platform, account] = named.split(' ') as [Platform, string];
    return this.accounts.shown({ environment, platform, account }).id;
  }
}
