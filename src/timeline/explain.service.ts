import { Injectable } from '@nestjs/common';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Database } from '../core/database/database.service';
import { EVENT_DELIVERIES, type EventDeliveryRow } from '../core/events/event-deliveries.rows';
import { recordSteps } from './record-steps';
import type { TimelineStepDto } from './dto/timeline.dto';
import { TimelineService } from './timeline.service';
import { FIND_BY_REQUEST, FIND_EVENT, FIND_MESSAGE, type ChainEvent } from './timeline.rows';

interface Found {
  id: string;
  environment: Environment;
}

/** Finds the timeline that any id belongs to, for the operator: in both environments, with all steps. */
@Injectable()
export class Explain {
  constructor(
    private readonly database: Database,
    private readonly timelines: TimelineService,
  ) {}

  /**
   * @param publicId of a message, an event, an API request or an AI request
   * @returns undefined if no stored row has the id
   */
  async of(publicId: string): Promise<TimelineStepDto[] | undefined> {
    const message = fromPublicId('message', publicId);
    if (message !== undefined) return this.ofMessage(await this.first(FIND_MESSAGE, [message]));
    const event = fromPublicId('event', publicId);
    if (event !== undefined) return this.ofEvent(event);
    const request = fromPublicId('request', publicId);
    return request === undefined ? undefined : this.ofRequest(request);
  }

  private async ofMessage(found: Found | undefined): Promise<TimelineStepDto[] | undefined> {
    return found && (await this.timelines.of(found.environment, found.id, ['*'])).data;
  }

  /** An event that is about no message has only its own deliveries. */
  private async ofEvent(id: string): Promise<TimelineStepDto[] | undefined> {
    const [event] = await this.database.query<ChainEvent & { environment: Environment }>(FIND_EVENT, [id]);
    if (!event) return undefined;
    const { message_id, environment } = event;
    if (message_id !== null) return this.ofMessage({ id: message_id, environment });
    return recordSteps([event], await this.database.query<EventDeliveryRow>(EVENT_DELIVERIES, [[id]]), []);
  }

  /** A request that made no message has only its audit entry. */
  private async ofRequest(id: string): Promise<TimelineStepDto[] | undefined> {
    const at = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
    const found = await this.first(FIND_BY_REQUEST, [id, at, `%"${toPublicId('request', id)}"%`]);
    if (found) return this.ofMessage(found);
    const audit = await this.timelines.auditOf([id]);
    return audit.length > 0 ? recordSteps([], [], audit) : undefined;
  }

  private async first(prepared: typeof FIND_MESSAGE, values: unknown[]): Promise<Found | undefined> {
    const [row] = await this.database.query<Found & Record<string, unknown>>(prepared, values);
    return row;
  }
}
