import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { AiKeyUsageEntity } from '../../ai/entities/ai-key-usage.entity';
import { Clock } from '../../core/clock/clock.service';
import { bucketStarts, periodStart, type Period, utcDay } from '../../core/clock/timeline';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiKeyUsageEntity } from '../entities/api-key-usage.entity';
import { ApiKeyEntity } from '../entities/api-key.entity';
import { managedKey } from '../policy/managed-key';
import type { KeyModelUsageDto, KeyUsageDto } from './key-usage.dto';

interface RequestRow {
  day: Date;
  requests: number;
  refusals: number;
}

type ModelRow = KeyModelUsageDto & { day: Date };

const COST_DIGITS = 8;

/** Reads what a key is used for. */
@Injectable()
export class KeyUsage {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async read(caller: Caller, id: string, period: Period): Promise<KeyUsageDto> {
    const key = await managedKey(this.keys, caller, id);
    const now = this.clock.now();
    const start = new Date(periodStart(period, now));
    const requests = await this.requests(id, start);
    const models = await this.models(id, start);
    return {
      key_id: toPublicId('api_key', id),
      period: { start: start.toISOString(), end: new Date(now).toISOString() },
      ...countsOf(requests),
      last_address: key.lastAddress,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      ...costOf(models),
      by_day: bucketStarts(start.getTime(), 'day', now).map((day) => ({
        date: utcDay(day),
        ...countsOf(requests.filter((row) => row.day.getTime() === day.getTime())),
        ...costOf(models.filter((row) => row.day.getTime() === day.getTime())),
      })),
    };
  }

  private requests(apiKeyId: string, start: Date): Promise<RequestRow[]> {
    return this.keys.manager
      .createQueryBuilder(ApiKeyUsageEntity, 'used')
      .select(`date_trunc('day', used.hour, 'UTC')`, 'day')
      .addSelect('sum(used.requests)::float8', 'requests')
      .addSelect('sum(used.refusals)::float8', 'refusals')
      .where('used.apiKeyId = :apiKeyId AND used.hour >= :start', { apiKeyId, start })
      .groupBy('day')
      .getRawMany<RequestRow>();
  }

  private models(apiKeyId: string, start: Date): Promise<ModelRow[]> {
    return this.keys.manager
      .createQueryBuilder(AiKeyUsageEntity, 'used')
      .select(`date_trunc('day', used.hour, 'UTC')`, 'day')
      .addSelect('used.model', 'model')
      .addSelect('sum(used.requests)::float8', 'requests')
      .addSelect('sum(used.inputTokens)::float8', 'input_tokens')
      .addSelect('sum(used.outputTokens)::float8', 'output_tokens')
      .addSelect('sum(used.costUsd)::float8', 'cost_usd')
      .where('used.apiKeyId = :apiKeyId AND used.hour >= :start', { apiKeyId, start })
      .groupBy('day')
      .addGroupBy('used.model')
      .getRawMany<ModelRow>();
  }
}

function countsOf(rows: readonly RequestRow[]): { requests: number; refusals: number } {
  return { requests: sum(rows, (row) => row.requests), refusals: sum(rows, (row) => row.refusals) };
}

function costOf(rows: readonly ModelRow[]): { cost_usd: number; by_model: KeyModelUsageDto[] } {
  const byModel = [...Map.groupBy(rows, ({ model }) => model)].map(([model, of]) => ({
    model,
    requests: sum(of, (row) => row.requests),
    input_tokens: sum(of, (row) => row.input_tokens),
    output_tokens: sum(of, (row) => row.output_tokens),
    cost_usd: dollars(of),
  }));
  return { cost_usd: dollars(rows), by_model: byModel.toSorted((one, other) => other.cost_usd - one.cost_usd) };
}

/** A sum of binary fractions has more digits than the stored amounts have. */
function dollars(rows: readonly ModelRow[]): number {
  return Number(sum(rows, (row) => row.cost_usd).toFixed(COST_DIGITS));
}

function sum<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
