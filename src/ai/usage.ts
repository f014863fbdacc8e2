import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../core/clock/clock';
import { Database, statement } from '../core/database/database';
import { insertEvents } from '../core/events/event-rows';
import type { UsageDto } from './dto/ai.dto';
import type { AiCompletion } from './provider/ai-provider.port';

/** Adds one answer to its hour and stores its event, in one statement: the bill and the event agree. */
export const RECORD_USAGE = statement(
  'ai-usage-record',
  `WITH usage AS (
     INSERT INTO ai_usage AS u (environment, hour, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
     VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, 1, $4, $5, $6, $7, $8)
     ON CONFLICT (environment, hour, model) DO UPDATE SET
       requests = u.requests + 1,
       input_tokens = u.input_tokens + excluded.input_tokens,
       output_tokens = u.output_tokens + excluded.output_tokens,
       cache_read_tokens = u.cache_read_tokens + excluded.cache_read_tokens,
       cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
       cost_usd = u.cost_usd + excluded.cost_usd
   ),
   ${insertEvents('$9')}
   SELECT 1`,
);

export function usageRow(environment: Environment, at: Date, { model, tokens }: AiCompletion, cost: number): unknown[] {
  return [environment, at, model, tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite, cost.toFixed(8)];
}

const SUMS = `coalesce(sum(requests), 0)::int AS requests, coalesce(sum(input_tokens), 0)::float8 AS input_tokens,
  coalesce(sum(output_tokens), 0)::float8 AS output_tokens, coalesce(sum(cost_usd), 0)::float8 AS cost_usd`;

const SINCE = statement('ai-usage-since', `SELECT ${SUMS} FROM ai_usage WHERE environment = $1 AND hour >= $2`);

/** What was used of the AI, in UTC days and months. */
@Injectable()
export class Usage {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async summary(environment: Environment): Promise<{ today: UsageDto; month: UsageDto }> {
    const today = this.clock.date();
    today.setUTCHours(0, 0, 0, 0);
    const month = new Date(today);
    month.setUTCDate(1);
    const [usedToday, usedThisMonth] = await Promise.all([
      this.since(environment, today),
      this.since(environment, month),
    ]);
    return { today: usedToday, month: usedThisMonth };
  }

  private async since(environment: Environment, start: Date): Promise<UsageDto> {
    const [row] = await this.database.query<UsageDto & Record<string, unknown>>(SINCE, [environment, start]);
    const { requests, input_tokens, output_tokens, cost_usd } = row!;
    return { requests, input_tokens, output_tokens, cost_usd };
  }
}
