import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../core/clock/clock';
import { Database, statement } from '../core/database/database';
import type { UsageDto } from './dto/ai.dto';

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
