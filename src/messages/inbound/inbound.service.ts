import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newUuid, toPublicId, type Environment, type Platform } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { OPEN_CONVERSATION } from '../../conversations/open-conversation';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { RestoreTime } from '../../core/secrets/restore-time.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import { Tracer } from '../../core/observability/tracing/tracer';
import { noteIds } from '../../core/observability/tracing/work-context';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { InboundSinks } from '../../integrations/inbound/inbound-sinks.service';
import { ConversationMovedError, retryOnConflict } from '../retry-on-conflict';
import { clampedTimestamp } from '../watermark';
import { MessageChanges } from './message-changes.service';
import { sanitizeMessage } from './sanitize-message';
import type { InboundOptions } from '../entities/message.entity';
import { Receipts } from '../receipts/receipts.service';

const CREATED_AT = clampedTimestamp('$5');

/**
 * A message that arrives while a person has taken the conversation over (`ai_paused`) is never answered, also not after that.
 * The conversation's row is locked here, so that a change of it comes before or after the message.
 */
const OPTIONS = `CASE WHEN ai_paused THEN coalesce($14::jsonb, '{}') || '{"expects_reply": false}' ELSE $14::jsonb END`;

/**
 * One statement. A duplicate changes nothing. One that arrives meanwhile waits for the conversation's row and then violates
 * the unique key of the platform's ids: nothing of it stays, and at the second try the message is known.
 * Messages from before `received_id` have theirs in `message_parts`.
 */
const STORE = statement(
  'inbound-store',
  `WITH known AS (
     SELECT FROM messages WHERE environment = $2::environment AND platform = $3::text AND received_id = $4::text
     UNION ALL
     SELECT FROM message_parts
     WHERE environment = $2 AND platform = $3 AND platform_message_id = $4 AND status = 'received'
   ),
   conversation AS (${OPEN_CONVERSATION(
     `SELECT $6::uuid, $2, $3, $7, $8, $9, $10, 'active', 1, ${CREATED_AT}, ${CREATED_AT}
      WHERE NOT EXISTS (SELECT FROM known)`,
   )}),
   message AS (
     INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, kind, content, status, sender, options,
       received_id, created_at, traceparent)
     SELECT $1, $2, id, message_count, $3, 'inbound', $11, $12, 'received', $13, ${OPTIONS}, $4, ${CREATED_AT}, $16
     FROM conversation
     RETURNING conversation_id, environment, seq, options
   ),
   reply AS (
     INSERT INTO reply_tasks AS task (conversation_id, environment, requested_seq, next_at)
     SELECT conversation_id, environment, seq, now() FROM message WHERE coalesce(options ->> 'expects_reply', 'true') = 'true'
     ON CONFLICT (conversation_id) DO UPDATE SET
       requested_seq = excluded.requested_seq,
       next_at = coalesce(task.next_at, now())
   ),
   ${insertEvents('$15', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS stored, EXISTS (SELECT FROM known) AS known`,
);

/** Stores each inbound message once, however often the platform delivers it. */
@Injectable()
export class InboundService implements OnModuleInit {
  constructor(
    private readonly sinks: InboundSinks,
    private readonly directory: ConversationDirectory,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly receipts: Receipts,
    private readonly changes: MessageChanges,
    private readonly restore: RestoreTime,
    private readonly tracer: Tracer,
  ) {}

  onModuleInit(): void {
    this.sinks.register({
      message: (environment, platform, message) => this.receive(environment, platform, message),
      receipt: (environment, platform, receipt) => this.receipts.receive(environment, platform, receipt),
      change: (environment, platform, change) => this.changes.apply(environment, platform, change),
      migrate: (environment, platform, from, to) => this.directory.migrate(environment, platform, from, to),
    });
  }

  /** Resolves once the message is durable. @returns its UUID, or undefined for a duplicate */
  receive(environment: Environment, platform: Platform, received: ReceivedMessage): Promise<string | undefined> {
    const forget = () => this.directory.forget(environment, platform, received.participant.id);
    return retryOnConflict(() => this.store(environment, platform, received), forget);
  }

  private async store(
    environment: Environment,
    platform: Platform,
    received: ReceivedMessage,
  ): Promise<string | undefined> {
    const now = this.clock.now();
    const { participant, sender, content, sentAt, platformMessageId } = sanitizeMessage(received, new Date(now));
    const place = await this.directory.find(environment, platform, participant.id);
    const conversationId = place.id;
    const id = newUuid(now);
    const ids = {
      message_id: toPublicId('message', id),
      conversation_id: toPublicId('conversation', conversationId),
    };
    noteIds(ids);
    const event = this.events.create('message.received', {
      ...ids,
      platform,
      environment,
      sender,
      content,
      timestamp: sentAt.toISOString(),
    });
    const [row] = await this.database.query<{ stored: boolean; known: boolean }>(STORE, [
      id,
      environment,
      platform,
      platformMessageId,
      new Date(now),
      conversationId,
      place.participantId,
      participant.name,
      participant.username,
      received.address ?? null,
      received.kind,
      content,
      JSON.stringify(sender),
      optionsOf(this.restore.isFromBefore(sentAt) ? { ...received, expectsReply: false } : received),
      this.events.rows([event]),
      this.tracer.traceparent ?? null,
    ]);
    if (row!.known) return undefined;
    // Something else opened the conversation meanwhile: to take the message for a duplicate would lose it.
    if (!row!.stored) throw new ConversationMovedError();
    this.directory.remember(environment, platform, participant.id, place);
    this.events.publish([event]);
    return id;
  }
}

/** As JSON; null for a message of a person alone, which is answered. */
function optionsOf({ expectsReply, inContext, answerAsReply }: ReceivedMessage): string | null {
  const options: InboundOptions = {
    ...(expectsReply === false && { expects_reply: false }),
    ...(inContext === false && { in_context: false }),
    ...(answerAsReply && { answer_as_reply: true }),
  };
  return Object.keys(options).length > 0 ? JSON.stringify(options) : null;
}
