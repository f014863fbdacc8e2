import { Injectable } from '@nestjs/common';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import type { StatisticsDto, StatisticsQuery, TimelineItemDto, TotalsDto } from './statistics.dto';
import { bucketStarts, type Grouping } from './timeline';

/**
 * Whole hours come from the roll-up, what came after it is counted: `message_counts` holds exactly the messages created
 * before `rollups.through`. $3 is the start of an hour, so no hour is cut.
 */
const MESSAGES = statement(
  'statistics-messages',
  `WITH open_part AS (
     SELECT greatest($3::timestamptz, coalesce((SELECT through FROM rollups WHERE name = 'messages'), '-infinity')) AS since
   )
   SELECT date_trunc($2::text, hour, 'UTC') AS bucket, platform, sum(count)::bigint AS count FROM (
     SELECT hour, platform, count FROM message_counts WHERE environment = $1 AND hour >= $3
     UNION ALL
     SELECT date_trunc('hour', created_at, 'UTC'), platform, count(*) FROM messages
     WHERE environment = $1 AND created_at >= (SELECT since FROM open_part) GROUP BY 1, 2
   ) counted
   WHERE hour < $4::timestamptz
   GROUP BY 1, 2`,
);

/** A conversation has a message since then exactly when its last one is. */
const TOTALS = statement(
  'statistics-totals',
  `SELECT
     (SELECT count(*) FROM conversations WHERE environment = $1 AND last_message_at >= $2::timestamptz)::int AS conversations,
     coalesce(sum(input_tokens + output_tokens), 0)::float8 AS tokens, coalesce(sum(cost_usd), 0)::float8 AS cost_usd
   FROM ai_usage WHERE environment = $1 AND hour >= $2::timestamptz`,
);

interface CountRow {
  bucket: Date;
  platform: Platform;
  count: string;
}

@Injectable()
export class StatisticsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async read(environment: Environment, { period, group_by: grouping }: StatisticsQuery): Promise<StatisticsDto> {
    const now = this.clock.now();
    const buckets = bucketStarts(period, grouping, now);
    const start = buckets[0]!;
    // A message that is stored right now may already belong to the next bucket: it is not part of the answer.
    const end = new Date(Math.floor(now / 3_600_000 + 1) * 3_600_000);
    const [counts, [totals]] = await Promise.all([
      this.database.query<CountRow & Record<string, unknown>>(MESSAGES, [environment, grouping, start, end]),
      this.database.query<TotalsDto & Record<string, unknown>>(TOTALS, [environment, start]),
    ]);
    const { conversations, tokens, cost_usd } = totals!;
    return {
      period: { start: start.toISOString(), end: new Date(now).toISOString() },
      totals: { messages: sum(counts), conversations, tokens, cost_usd },
      by_platform: Object.fromEntries(
        PLATFORMS.map((platform) => [platform, sum(counts.filter((row) => row.platform === platform))]),
      ) as Record<Platform, number>,
      timeline: timeline(buckets, grouping, counts),
    };
  }
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
