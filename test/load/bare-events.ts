import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { HANDLED } from '../../src/core/events/domain-events.service';

/** As `src/webhooks` makes dispatches of events, unnamed as there; here nobody is subscribed. */
const FAN_OUT = `INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
    SELECT e.id, w.id, now(), now()
    FROM webhooks w JOIN events e ON e.environment = w.environment AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
    WHERE e.id = ANY ($1::uuid[]) AND w.status = 'active'
    ON CONFLICT (event_id, webhook_id) DO NOTHING`;

const STRIKE_OFF_MS = 100;

/** After their commit, events are fanned out to the webhooks, and then struck off the outbox. */
export class BareEvents {
  private published: string[] = [];
  private handled: string[] = [];
  private fanningOut = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pool: Pool) {
    this.timer = setInterval(() => void this.acknowledge(), STRIKE_OFF_MS);
  }

  publish(ids: readonly string[]): void {
    this.published.push(...ids);
    if (!this.fanningOut) void this.fanOut();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.acknowledge();
  }

  private async fanOut(): Promise<void> {
    this.fanningOut = true;
    while (this.published.length > 0) {
      const ids = this.published;
      this.published = [];
      await this.pool.query(FAN_OUT, [ids]);
      this.handled.push(...ids);
    }
    this.fanningOut = false;
  }

  private async acknowledge(): Promise<void> {
    if (this.handled.length === 0) return;
    const ids = this.handled;
    this.handled = [];
    await this.pool.query({ ...HANDLED, values: [ids] });
  }
}

/** As `insertEvents` reads it. */
export function eventRow(type: string, createdAt: Date, data: object, environment = 'test') {
  const id = newUuid(createdAt.getTime());
  const body = JSON.stringify({ id: toPublicId('event', id), type, created_at: createdAt.toISOString(), data });
  return { id, environment, type, body, created_at: createdAt };
}
