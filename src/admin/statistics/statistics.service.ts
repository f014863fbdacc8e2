import { Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { fromPublicId, PLATFORMS, type AccountKey, type Environment, type Platform } from '#contracts';
import { AccountEntity, accountKey } from '../../accounts/entities/account.entity';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { MessageEntity } from '../../messages/entities/message.entity';
import { Clock } from '../../core/clock/clock.service';
import { AiUsageEntity, READ_TOKENS } from '../../ai/entities/ai-usage.entity';
import { ConversationEntity, SLOT_MS } from '../../conversations/entities/conversation.entity';
import { messagesBefore } from '../../messages/counts/message-counts.rows';
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
    const account = await this.accountOf(environment, query.account_id);
    const { counts, usage, conversations } = await this.dataSource.transaction('REPEATABLE READ', async (manager) =>
      account
        ? accountFigures(manager, values, account, buckets)
        : {
            counts: await messageCounts(manager, environment, [start, ...buckets.slice(1), end]),
            usage: await aiUsage(manager, values),
            conversations: await conversationCount(manager, values),
          },
    );
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

  /** @throws ApiError RESOURCE_NOT_FOUND */
  private async accountOf(environment: Environment, publicId?: string): Promise<AccountKey | undefined> {
    if (publicId === undefined) return undefined;
    const id = fromPublicId('account', publicId);
    const found = id === undefined ? null : await this.dataSource.manager.findOneBy(AccountEntity, { id, environment });
    if (!found) throw ApiError.notFound('account', publicId);
    return { environment, platform: found.platform, account: accountKey(found) };
  }
}

interface Figures {
  counts: PlatformCounts;
  usage: UsageRow[];
  conversations: number;
}

/** The messages of an account, and what the assistant's answers among them cost. */
async function accountFigures(
  manager: EntityManager,
  values: StatisticsValues,
  { platform, account }: Pick<AccountKey, 'platform' | 'account'>,
  buckets: readonly Date[],
): Promise<Figures> {
  const rows = await manager
    .createQueryBuilder(MessageEntity, 'message')
    .select(`date_trunc(:grouping, message.createdAt, 'UTC')`, 'bucket')
    .addSelect('count(*)::int', 'messages')
    .addSelect('coalesce(sum(message.inputTokens + message.outputTokens), 0)::float8', 'tokens')
    .addSelect('coalesce(sum(message.costUsd), 0)::float8', 'cost_usd')
    .where('message.environment = :environment AND message.platform = :platform AND message.account = :account')
    .andWhere('message.createdAt >= :start AND message.createdAt < :end')
    .groupBy('bucket')
    .setParameters({ ...values, platform, account })
    .getRawMany<UsageRow & { messages: number }>();
  const counted = new Map(rows.map(({ bucket, messages }) => [bucket.getTime(), messages]));
  const none = buckets.map(() => 0);
  const own = buckets.map((bucket) => counted.get(bucket.getTime()) ?? 0);
  return {
    counts: { telegram: none, whatsapp: none, discord: none, [platform]: own },
    usage: rows,
    conversations: await conversationCount(manager, values, { platform, account }),
  };
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
function conversationCount(
  manager: EntityManager,
  { environment, start }: StatisticsValues,
  account: Partial<Pick<AccountKey, 'platform' | 'account'>> = {},
): Promise<number> {
  return manager.countBy(ConversationEntity, {
    environment,
    ...account,
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
