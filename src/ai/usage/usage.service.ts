import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import type { UsageDto } from '../dto/ai.dto';

const sums = (hours: string) => `json_build_object(
    'requests', coalesce(sum(requests) FILTER (WHERE ${hours}), 0),
    'input_tokens', coalesce(sum(input_tokens) FILTER (WHERE ${hours}), 0),
    'output_tokens', coalesce(sum(output_tokens) FILTER (WHERE ${hours}), 0),
    'cost_usd', coalesce(sum(cost_usd) FILTER (WHERE ${hours}), 0)
  )`;

/** $2: the start of the month, $3: of the day. */
const SUMMARY = statement(
  'ai-usage-summary',
  `SELECT ${sums('hour >= $3')} AS today, ${sums('true')} AS month FROM ai_usage WHERE environment = $1 AND hour >= $2`,
);

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
    const values = [environment, month, today];
    const [row] = await this.database.query<{ today: UsageDto; month: UsageDto }>(SUMMARY, values);
    return row!;
  }
}
