import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { hasScope, toPublicId, type Environment, type Scope } from '#contracts';
import { AuditEntryEntity } from '../admin/audit/audit-entry.entity';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import { EVENT_DELIVERIES, type EventDeliveryRow } from '../core/events/event-deliveries.rows';
import { ApiError } from '../core/http/lifecycle/api-error';
import { DataWithMeta } from '../core/http/lifecycle/envelope';
import { callSteps } from './call-steps';
import { STEPS, TIMELINE_STEPS, type SummaryDto, type TimelineStep, type TimelineStepDto } from './dto/timeline.dto';
import { messageSteps } from './message-steps';
import { summaryOf } from './summary';
import { recordSteps } from './record-steps';
import { toolSteps } from './tool-steps';
import {
  CHAIN,
  CHAIN_EVENTS,
  CHAIN_PARTS,
  CHAIN_TOOL_CALLS,
  REPLY_STATE,
  type ChainEvent,
  type ChainMessage,
  type ChainPart,
  type ToolCallRow,
  type ReplyState,
} from './timeline.rows';

/** The response of the operation. */
export class Timeline extends DataWithMeta {
  constructor(
    readonly data: TimelineStepDto[],
    private readonly summary: SummaryDto,
    private readonly omitted: TimelineStep[],
  ) {
    super();
  }

  get meta() {
    return { summary: this.summary, omitted: this.omitted };
  }
}

/** Reads the life of a message from the rows that it left. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly database: Database,
    private readonly rows: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * The timeline of the chain that a message belongs to: the same for every message of it.
   * @param scopes of the caller: steps that need another scope are left out
   * @throws ApiError RESOURCE_NOT_FOUND
   */
  async of(environment: Environment, id: string, scopes: readonly Scope[]): Promise<Timeline> {
    const messages = await this.database.query<ChainMessage>(CHAIN, [id, environment]);
    const [first] = messages;
    if (!first) throw ApiError.notFound('message', toPublicId('message', id));
    const omitted = STEPS.filter((step) => !maySee(step, scopes));
    const ids = messages.map((message) => message.id);
    const [events, parts, [reply], calls, audit] = await Promise.all([
      this.database.query<ChainEvent>(CHAIN_EVENTS, [first.conversation_id, ids]),
      this.database.query<ChainPart>(CHAIN_PARTS, [ids]),
      this.database.query<ReplyState & Record<string, unknown>>(REPLY_STATE, [first.conversation_id]),
      this.database.query<ToolCallRow>(CHAIN_TOOL_CALLS, [first.conversation_id, ids]),
      omitted.includes('audit') ? [] : this.auditOf(messages.flatMap(({ request_id }) => request_id ?? [])),
    ]);
    const eventIds = events.map((event) => event.id);
    const deliveries = omitted.includes('webhook')
      ? []
      : await this.database.query<EventDeliveryRow>(EVENT_DELIVERIES, [eventIds]);
    const rows = { messages, events, parts };
    const steps = inOrder([
      ...messages.flatMap((message) => messageSteps(message, rows, this.clock.date())),
      ...callSteps(rows),
      ...toolSteps(calls, scopes),
      ...recordSteps(events, deliveries, audit),
    ]);
    const shown = steps.filter(({ step }) => !omitted.includes(step));
    return new Timeline(shown, summaryOf(messages, steps, reply, scopes), omitted);
  }

  auditOf(requestIds: string[]): Promise<AuditEntryEntity[]> {
    const where = { requestId: In(requestIds) };
    return this.rows.find(AuditEntryEntity, { where, order: { createdAt: 'ASC', id: 'ASC' } });
  }
}

function maySee(step: TimelineStep, scopes: readonly Scope[]): boolean {
  const { scope } = TIMELINE_STEPS[step] as { scope?: Scope };
  return scope === undefined || hasScope(scopes, scope);
}

/** Oldest first; steps of the same moment are in the order of `STEPS`. */
function inOrder(steps: TimelineStepDto[]): TimelineStepDto[] {
  const rank = new Map(STEPS.map((step, index) => [step, index]));
  return steps.toSorted((one, other) => {
    if (one.at !== other.at) return one.at < other.at ? -1 : 1;
    return rank.get(one.step)! - rank.get(other.step)!;
  });
}
