import { Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { AiUsageEntity, READ_TOKENS } from '../../ai/entities/ai-usage.entity';
import { ConversationEntity, SLOT_MS } from '../../conversations/entities/conversation.entity';
import { messagesBefore } from '../../core/counts/message-counts.rows';
import type { StatisticsDto, StatisticsQuery, TimelineItemDto, TotalsDto } from './statistics.dto';
import { bucketStarts, periodStart, utcDay, type Grouping } from '../../core/clock/timeline';

const HOUR_MS = 3_600_000;

/** Messages of a platform in each bucket. */
type PlatformCounts = Record<Platform, number[]>;

type Usage = Pick<TotalsDto, 'tokens' | 'cost_usd'>;
type UsageRow = Usage & { bucket: Date };

const NO_USAGE: Usage = { tokens: 0, cost_usd: 0 };
const COST_DIGITS = 8;

@Injectable()
export class StatisticsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async read(environment: Environment, query: StatisticsQuery): Promise<StatisticsDto> {
    const { period, group_by: grouping, expand } = query;
    const now = this.clock.now();
    const start = new Date(periodStart(period, now));
    // Until the end of this hour: a message stored during the request may belong to the next bucket, which is left out.
    const end = new Date(Math.floor(now / HOUR_MS + 1) * HOUR_MS);
    const values = { environment, grouping, start, end };
    const buckets = bucketStarts(start.getTime(), grouping, now);
    const { counts, usage, conversations } = await this.dataSource.transaction('REPEATABLE READ', async (manager) => ({
      counts: await messageCounts(manager, environment, [start, ...buckets.slice(1), end]),
      usage: await aiUsage(manager, values),
      conversations: await conversationCount(manager, values),
    }));
    const by_platform = Object.fromEntries(PLATFORMS.map((platform) => [platform, sum(counts[platform])])) as Record<
      Platform,
      number
    >;
    return {
      period: { start: start.toISOString(), end: new Date(now).toISOString() },
      totals: { messages: sum(Object.values(by_platform)), conversations, ...totalOf(usage) },
      by_platform,
      timeline: timeline(buckets, grouping, counts, expand && usage),
    };
  }
}

interface StatisticsValues {
  environment: Environment;
  grouping: Grouping;
  /** The start of an hour, as is `end`: usage is stored by the hour. */
  start: Date;
  end: Date;
}

/**
 * @param manager in a transaction with one snapshot
 * @param bounds starts of the buckets, and the end of the last one
 */
async function messageCounts(
  manager: EntityManager,
  environment: Environment,
  bounds: readonly Date[],
): Promise<PlatformCounts> {
  const counts: Partial<PlatformCounts> = {};
  for (const platform of PLATFORMS) {
    const { text, values } = messagesBefore({ environment, platform }, bounds);
    const places = (await manager.query<{ rank: string }[]>(text, values)).map(({ rank }) => Number(rank));
    counts[platform] = places.slice(1).map((place, index) => place - places[index]!);
  }
  return counts as PlatformCounts;
}

/** Usage of the AI, by bucket. */
function aiUsage(manager: EntityManager, values: StatisticsValues): Promise<UsageRow[]> {
  return manager
    .createQueryBuilder(AiUsageEntity, 'usage')
    .select(`date_trunc(:grouping, usage.hour, 'UTC')`, 'bucket')
    .addSelect(`sum(${READ_TOKENS} + usage.outputTokens)::float8`, 'tokens')
    .addSelect('sum(usage.costUsd)::float8', 'cost_usd')
    .where('usage.environment = :environment AND usage.hour >= :start AND usage.hour < :end')
    .groupBy('bucket')
    .setParameters(values)
    .getRawMany<UsageRow>();
}

/** A conversation has a message in the range exactly when its last message is in the range. */
function conversationCount(manager: EntityManager, { environment, start }: StatisticsValues): Promise<number> {
  return manager.countBy(ConversationEntity, {
    environment,
    lastMessageAt: MoreThanOrEqual(start),
    lastMessageSlot: MoreThanOrEqual(new Date(start.getTime() - SLOT_MS)),
  });
}

function totalOf(usage: readonly UsageRow[]): Usage {
  const tokens = usage.reduce((total, row) => total + row.tokens, 0);
  const cost = usage.reduce((total, row) => total + row.cost_usd, 0);
  // Sums of floating-point numbers have more digits than the stored amounts.
  return { tokens, cost_usd: Number(cost.toFixed(COST_DIGITS)) };
}

/** @param usage undefined if the buckets leave usage out */
function timeline(
  buckets: readonly Date[],
  grouping: Grouping,
  counts: PlatformCounts,
  usage: readonly UsageRow[] | undefined,
): TimelineItemDto[] {
  const used = usage && new Map(usage.map(({ bucket, tokens, cost_usd }) => [bucket.getTime(), { tokens, cost_usd }]));
  return buckets.map((bucket, index) => ({
    date: utcDay(bucket),
    ...(grouping === 'hour' && { hour: bucket.getUTCHours() }),
    messages: sum(PLATFORMS.map((platform) => counts[platform][index]!)),
    ...(used && (used.get(bucket.getTime()) ?? NO_USAGE)),
  }));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
