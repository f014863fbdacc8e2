import type { Statistics } from '#client';
import { lazily } from './lazily';

type Bucket = Statistics['timeline'][number];

const day = lazily(
  () => new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
);
const short = lazily(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }));
const hour = lazily(
  () =>
    new Intl.DateTimeFormat(undefined, {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    }),
);

/** The label of a bar in the statistics. Buckets are in UTC. */
export function bucketLabel(bucket: Bucket, group: 'hour' | 'day' | 'week'): string {
  const start = new Date(`${bucket.date}T${String(bucket.hour ?? 0).padStart(2, '0')}:00:00Z`);
  if (group === 'hour') return hour().format(start);
  return group === 'week' ? `Week of ${short().format(start)}` : day().format(start);
}
