import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { periodStart, type Period } from '../core/clock/timeline';
import { PlatformUsageEntity } from './entities/platform-usage.entity';
import type { PlatformUsageDto, PlatformUsageItemDto } from './platform-usage.dto';

/** Reads what platforms bill. */
@Injectable()
export class PlatformUsage {
  constructor(
    @InjectRepository(PlatformUsageEntity) private readonly usage: Repository<PlatformUsageEntity>,
    private readonly clock: Clock,
  ) {}

  async read(environment: Environment, period: Period): Promise<PlatformUsageDto> {
    const now = this.clock.now();
    const start = new Date(periodStart(period, now));
    const items = await this.usage
      .createQueryBuilder('u')
      .select('u.platform', 'platform')
      .addSelect('u.category', 'category')
      .addSelect(`nullif(u.country, '')`, 'country')
      .addSelect('sum(u.messages)::float8', 'messages')
      .addSelect('sum(u.billable)::float8', 'billable')
      .addSelect('CASE WHEN sum(u.unpriced) = 0 THEN sum(u.costUsd)::float8 END', 'cost_usd')
      .where('u.environment = :environment AND u.hour >= :start', { environment, start })
      .groupBy('u.platform')
      .addGroupBy('u.category')
      .addGroupBy('u.country')
      .having('sum(u.messages) <> 0')
      .orderBy('sum(u.costUsd)', 'DESC')
      .addOrderBy('u.platform')
      .addOrderBy('u.category')
      .addOrderBy('u.country')
      .getRawMany<PlatformUsageItemDto>();
    return { period: { start: start.toISOString(), end: new Date(now).toISOString() }, items };
  }
}
