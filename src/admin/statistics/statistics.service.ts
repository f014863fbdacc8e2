import { Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { AiUsageEntity } from '../../ai/entities/ai-usage.entity';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';
import { MessageCountEntity } from '../../messages/entities/message-count.entity';
import { MessageEntity } from '../../messages/entities/message.entity';
import { RollupEntity } from '../../messages/entities/rollup.entity';
import type { StatisticsDto, StatisticsQuery, TimelineItemDto, TotalsDto } from './statistics.dto';
import { bucketStarts, type Grouping } from './timeline';

const HOUR_MS = 3_600_000;

interface CountRow {
  bucket: Date;
  platform: Platform;
  count: string;
}

@Injectable()
export class StatisticsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async read(environment: Environment, { period, group_by: grouping }: StatisticsQuery): Promise<StatisticsDto> {
    const now = this.clock.now();
    const buckets = bucketStarts(period, grouping, now);
    const start = buckets[0]!;
    // A message that is stored during the request may belong to the next bucket: the answer leaves it out.
    const end = new Date(Math.floor(now / HOUR_MS + 1) * HOUR_MS);
    const values = { environment, grouping, start, end };
    const { counts, totals } = await this.dataSource.transaction('REPEATABLE READ', async (manager) => ({
      counts: await messageCounts(manager, values),
      totals: await otherTotals(manager, values),
    }));
    return {
      period: { start: start.toISOString(), end: new Date(now).toISOString() },
      totals: { messages: sum(counts), ...totals },
      by_platform: Object.fromEntries(
        PLATFORMS.map((platform) => [platform, sum(counts.filter((row) => row.platform === platform))]),
      ) as Record<Platform, number>,
      timeline: timeline(buckets, grouping, counts),
    };
  }
}

interface StatisticsValues {
  environment: Environment;
  grouping: Grouping;
  /** The start of an hour, so that the range holds whole hours. */
  start: Date;
  end: Date;
}

/**
 * Reads whole hours from the roll-up and counts the later messages: `message_counts` holds exactly the messages created
 * before `rollups.through`.
 * @param manager of a transaction with one snapshot
 */
async function messageCounts(manager: EntityManager, values: StatisticsValues): Promise<CountRow[]> {
  const rolledUp = await manager
    .createQueryBuilder(MessageCountEntity, 'counted')
    .select([`date_trunc(:grouping, counted.hour, 'UTC') AS bucket`, 'counted.platform AS platform'])
    .addSelect('sum(counted.count)', 'count')
    .where('counted.environment = :environment AND counted.hour >= :start AND counted.hour < :end')
    .groupBy('bucket')
    .addGroupBy('counted.platform')
    .setParameters(values)
    .getRawMany<CountRow>();
  const rollup = await manager.findOneBy(RollupEntity, { name: 'messages' });
  const since = rollup && rollup.through > values.start ? rollup.through : values.start;
  const open = await manager
    .createQueryBuilder(MessageEntity, 'message')
    .select([`date_trunc(:grouping, message.createdAt, 'UTC') AS bucket`, 'message.platform AS platform'])
    .addSelect('count(*)', 'count')
    .where('message.environment = :environment AND message.createdAt >= :since AND message.createdAt < :end')
    .groupBy('bucket')
    .addGroupBy('message.platform')
    .setParameters({ ...values, since })
    .getRawMany<CountRow>();
  return [...rolledUp, ...open];
}

async function otherTotals(manager: EntityManager, { environment, start }: StatisticsValues) {
  const usage = await manager
    .createQueryBuilder(AiUsageEntity, 'usage')
    .select('coalesce(sum(usage.inputTokens + usage.outputTokens), 0)::float8', 'tokens')
    .addSelect('coalesce(sum(usage.costUsd), 0)::float8', 'cost_usd')
    .where('usage.environment = :environment AND usage.hour >= :start', { environment, start })
    .getRawOne<Pick<TotalsDto, 'tokens' | 'cost_usd'>>();
  // A conversation has a message in the range exactly when its last message is in the range.
  const conversations = await manager.countBy(ConversationEntity, {
    environment,
    lastMessageAt: MoreThanOrEqual(start),
  });
  return { conversations, tokens: usage!.tokens, cost_usd: usage!.cost_usd };
}

function timeline(buckets: readonly Date[], grouping: Grouping, counts: readonly CountRow[]): TimelineItemDto[] {
  const messages = new Map<number, number>();
  for (const { bucket, count } of counts) {
    messages.set(bucket.getTime(), (messages.get(bucket.getTime()) ?? 0) + Number(count));
  }
  return buckets.map((bucket) => ({
    date: bucket.toISOString().slice(0, 10),
    ...(grouping === 'hour' && { hour: bucket.getUTCHours() }),
    messages: messages.get(bucket.getTime()) ?? 0,
  }));
}

function sum(rows: readonly CountRow[]): number {
  return rows.reduce((total, { count }) => total + Number(count), 0);
}
