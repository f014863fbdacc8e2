import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sendFailure, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import type { DueRow } from '../../core/jobs/due-rows';
import { DueWork } from '../../core/jobs/due-work.service';
import { Integrations } from '../../integrations/integrations.service';
import { SendService } from './send.service';
import type { OutboundMessage, OutboundOptions } from './outbound-message';
import { SEND_LEASE_SECONDS } from './outbound-store.service';

export const PENDING_SENDS = 'pending-sends';

/** How soon a message looks again whether its platform is back, in seconds. */
const PLATFORM_AWAY_SECONDS = 2;

/** How long a platform is trusted to recognise a repeated send, in milliseconds (Discord: "the past few minutes"). */
const DEDUPLICATED_MS = 120_000;

interface TaskRow extends DueRow {
  message_id: string;
  write_started_at: Date | null;
}

const LOAD = statement(
  'outbound-load',
  `SELECT m.id, m.environment, m.platform, m.conversation_id, m.content, m.options, m.ai_model, m.input_tokens, m.output_tokens,
     m.latency_ms, m.api_key_id, c.participant_id, c.participant_name, c.address,
     coalesce((SELECT array_agg(part_index) FROM message_parts p WHERE p.message_id = m.id AND p.platform_message_id IS NOT NULL), '{}') AS done
   FROM messages m JOIN conversations c ON c.id = m.conversation_id
   WHERE m.id = $1`,
);

const AGAIN_LATER = statement(
  'outbound-again-later',
  `UPDATE message_tasks SET lease_until = NULL, attempts = 0, next_at = now() + interval '${PLATFORM_AWAY_SECONDS} seconds'
   WHERE message_id = $1 AND fence = $2`,
);

interface LoadedRow {
  id: string;
  environment: Environment;
  platform: Platform;
  conversation_id: string;
  content: string;
  options: OutboundOptions;
  ai_model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  latency_ms: number | null;
  api_key_id: string | null;
  participant_id: string;
  participant_name: string | null;
  address: string | null;
  done: number[];
}

/**
 * Takes up pending messages: those whose platform asked to wait, answers that wait for their platform to come back, and
 * those whose process died.
 */
@Injectable()
export class SendRecovery implements OnModuleInit {
  constructor(
    private readonly work: DueWork,
    private readonly database: Database,
    private readonly integrations: Integrations,
    private readonly delivery: SendService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.work.register<TaskRow>({
      name: PENDING_SENDS,
      due: {
        table: 'message_tasks',
        key: 'message_id',
        columns: 'message_id, write_started_at',
        condition: `stage = 'send'`,
        leaseSeconds: SEND_LEASE_SECONDS,
      },
      concurrency: 32,
      keyOf: (row) => row.message_id,
      run: (row, signal) => this.takeUp(row, signal),
    });
  }

  private async takeUp(task: TaskRow, signal: AbortSignal): Promise<void> {
    const [row] = await this.database.query<LoadedRow>(LOAD, [task.message_id]);
    if (!row) return;
    const message = toMessage(row, task.fence);
    const { capabilities } = this.integrations.adapter(row.environment, row.platform);
    const isAnswer = row.api_key_id === null;
    const writtenMs = task.write_started_at && this.clock.now() - task.write_started_at.getTime();
    const recognised = capabilities.deduplicatesSends && writtenMs !== null && writtenMs < DEDUPLICATED_MS;
    const interrupted = writtenMs !== null && !recognised;
    if (interrupted && !isAnswer) {
      // The process died between writing to the platform and recording what came of it.
      await this.delivery.fail(message, sendFailure('ambiguous'));
      return;
    }
    if (!this.integrations.isConnected(row.environment, row.platform)) {
      await this.database.query(AGAIN_LATER, [row.id, task.fence]);
      return;
    }
    await this.delivery.deliver(message, { done: new Set(row.done), signal });
  }
}

function toMessage(row: LoadedRow, fence: number): OutboundMessage {
  return {
    id: row.id,
    environment: row.environment,
    platform: row.platform,
    conversationId: row.conversation_id,
    recipient: row.participant_id,
    recipientName: row.participant_name,
    address: row.address,
    content: row.content,
    options: row.options,
    ai:
      row.ai_model === null
        ? null
        : {
            model: row.ai_model,
            tokens: { input: row.input_tokens ?? 0, output: row.output_tokens ?? 0 },
            latencyMs: row.latency_ms ?? 0,
          },
    fence,
  };
}
