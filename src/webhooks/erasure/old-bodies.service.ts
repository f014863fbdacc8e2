import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { DAY_MS } from '../../core/clock/timeline';
import { Database } from '../../core/database/database.service';
import { firstIdOf } from '../../core/events/id-times';
import { SettingsService } from '../../core/settings/settings.service';
import { EMPTY_OLD_DELIVERIES, OLD_BATCH } from './erased-deliveries.rows';

const FIRST = '00000000-0000-0000-0000-000000000000';

interface OldRow {
  id: string;
  event_id: string;
}

/**
 * Empties the answers of receivers to events that are older than `retention.event_days`. An erasure finds deliveries by the
 * events of its conversation, but a delivery may outlive its event: `delivery_days` may be longer, and a replay makes new ones.
 */
@Injectable()
export class OldBodies {
  private readonly last = new Map<Environment, OldRow>();

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /** One batch. @returns whether there may be more to do now */
  async empty(environment: Environment): Promise<boolean> {
    const { event_days: days } = this.settings.of(environment).retention;
    const before = firstIdOf(new Date(this.clock.now() - days * DAY_MS));
    const { event_id, id } = this.last.get(environment) ?? { event_id: FIRST, id: FIRST };
    const rows = await this.database.query<OldRow & Record<string, unknown>>(EMPTY_OLD_DELIVERIES, [
      environment,
      event_id,
      id,
      before,
    ]);
    const last = rows.length === OLD_BATCH ? rows.at(-1) : undefined;
    if (last) this.last.set(environment, last);
    else this.last.delete(environment);
    return last !== undefined;
  }
}
