import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { UsageDto } from '../dto/ai.dto';
import { AiUsageEntity, READ_TOKENS } from '../entities/ai-usage.entity';

/** SQL of a `UsageDto`: the sums over the hours since a parameter. */
const sumsSince = (start: string) => {
  const sum = (column: string) => `coalesce(sum(${column}) FILTER (WHERE usage.hour >= :${start}), 0)::float8`;
  return `json_build_object('requests', ${sum('usage.requests')}, 'input_tokens', ${sum(READ_TOKENS)},
    'output_tokens', ${sum('usage.outputTokens')}, 'cost_usd', ${sum('usage.costUsd')})`;
};

/** Reads the usage of the AI, in UTC days and months. */
@Injectable()
export class Usage {
  constructor(
    @InjectRepository(AiUsageEntity) private readonly usage: Repository<AiUsageEntity>,
    private readonly clock: Clock,
  ) {}

  async summary(environment: Environment): Promise<{ today: UsageDto; month: UsageDto }> {
    const today = this.clock.date();
    today.setUTCHours(0, 0, 0, 0);
    const month = new Date(today);
    month.setUTCDate(1);
    const sums = await this.usage
      .createQueryBuilder('usage')
      .select(sumsSince('today'), 'today')
      .addSelect(sumsSince('month'), 'month')
      .where('usage.environment = :environment AND usage.hour >= :month', { environment, today, month })
      .getRawOne<{ today: UsageDto; month: UsageDto }>();
    return sums!;
  }
}
