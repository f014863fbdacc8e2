import { Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { AiUsageEntity } from '../../ai/entities/ai-usage.entity';
import { ConversationEntity, SLOT_MS } from '../../conversations/entities/conversation.entity';
import { MessageCountEntity } from '../../messages/entities/message-count.entity';
import { MessageEntity } from '../../messages/entities/message.entity';
import { RollupEntity } from '../../messages/entities/rollup.entity';
import type { StatisticsDto, StatisticsQuery, TimelineItemDto, TotalsDto } from './statistics.dto';
import { bucketStarts, periodStart, type Grouping } from './timeline';

const HOUR_MS = 3_600_000;

interface CountRow {
  bucket: Date;
  platform: Platform;
  count: string;
}

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
    // A message that is stored during the request may belong to the next bucket: the answer leaves it out.
    const end = new Date(Math.floor(now / HOUR_MS + 1) * HOUR_MS);
    const values = { environment, grouping, start, end };
    const { counts, usage, conversations } = await this.dataSource.transaction('REPEATABLE READ', async (manager) => ({
      counts: await messageCounts(manager, values),
      usage: await aiUsage(manager, values),
      conversations: await conversationCount(manager, values),
    }));
    return {
      period: { start: start.toISOString(), end: new Date(now).toISOString() },
      totals: { messages: sum(counts), conversations, ...totalOf(usage) },
      by_platform: Object.fromEntries(
        PLATFORMS.map((platform) => [platform, sum(counts.filter((row) => row.platform === platform))]),
      ) as Record<Platform, number>,
      timeline: timeline(bucketStarts(start.getTime(), grouping, now), grouping, counts, expand && usage),
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

/** What the AI used, by bucket. */
function aiUsage(manager: EntityManager, values: StatisticsValues): Promise<UsageRow[]> {
  return manager
    .createQueryBuilder(AiUsageEntity, 'usage')
    .select(`date_trunc(:grouping, usage.hour, 'UTC')`, 'bucket')
    .addSelect('sum(usage.inputTokens + usage.outputTokens)::float8', 'tokens')
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
  // Sums of binary fractions: what is stored has as many digits.
  return { tokens, cost_usd: Number(cost.toFixed(COST_DIGITS)) };
}

/** @param usage where the buckets have that too */
function timeline(
  buckets: readonly Date[],
  grouping: Grouping,
  counts: readonly CountRow[],
  usage: readonly UsageRow[] | undefined,
): TimelineItemDto[] {
  const messages = new Map<number, number>();
  for (const { bucket, count } of counts) {
    messages.set(bucket.getTime(), (messages.get(bucket.getTime()) ?? 0) + Number(count));
  }
  const used = usage && new Map(usage.map(({ bucket, tokens, cost_usd }) => [bucket.getTime(), { tokens, cost_usd }]));
  return buckets.map((bucket) => ({
    date: bucket.toISOString().slice(0, 10),
    ...(grouping === 'hour' && { hour: bucket.getUTCHours() }),
    messages: messages.get(bucket.getTime()) ?? 0,
    ...(used && (used.get(bucket.getTime()) ?? NO_USAGE)),
  }));
}

function sum(rows: readonly CountRow[]): number {
  return rows.reduce((total, { count }) => total + Number(count), 0);
}
