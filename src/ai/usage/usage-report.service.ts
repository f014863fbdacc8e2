import { Injectable } from '@nestjs/common';
import { hasScope, toPublicId, type Scope } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { AiUsageItemDto, AiUsageQuery, AiUsageReportDto, UsageGroup } from '../dto/usage-report.dto';
import { usageReport, type UsageRow } from './usage-report.rows';

/** Scopes that a group needs beside `read:status`. */
const SCOPES: Readonly<Partial<Record<UsageGroup, Scope>>> = {
  key: 'admin:settings',
  conversation: 'read:conversations',
};

const SHOWN: Readonly<Record<UsageGroup, (group: string | null) => Partial<AiUsageItemDto>>> = {
  day: (day) => ({ day: day! }),
  model: (model) => ({ model: model! }),
  account: (account) => ({ account: account! }),
  key: (key) => ({ key: key && toPublicId('api_key', key) }),
  conversation: (id) => ({ conversation: toPublicId('conversation', id!) }),
};

/** Reads what the AI used in a period, by group. */
@Injectable()
export class UsageReports {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
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
        ...SHOWN[group](named),
        requests,
        tokens,
        cost_usd,
      })),
    };
  }
}
