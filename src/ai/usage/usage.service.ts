import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { UsageDto } from '../dto/ai.dto';
import { AiUsageEntity } from '../entities/ai-usage.entity';

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
    // In this order, a day never has more than its month.
    return { today: await this.since(environment, today), month: await this.since(environment, month) };
  }

  private async since(environment: Environment, start: Date): Promise<UsageDto> {
    const sums = await this.usage
      .createQueryBuilder('usage')
      .select('coalesce(sum(usage.requests), 0)::float8', 'requests')
      .addSelect('coalesce(sum(usage.inputTokens), 0)::float8', 'input_tokens')
      .addSelect('coalesce(sum(usage.outputTokens), 0)::float8', 'output_tokens')
      .addSelect('coalesce(sum(usage.costUsd), 0)::float8', 'cost_usd')
      .where('usage.environment = :environment AND usage.hour >= :start', { environment, start })
      .getRawOne<UsageDto>();
    return sums!;
  }
}
