import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newUuid, toPublicId, type Environment, type Platform } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { OPEN_CONVERSATION } from '../../conversations/open-conversation';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { InboundSinks } from '../../integrations/inbound/inbound-sinks.service';
import { retryOnConflict } from '../retry-on-conflict';
import { clampedTimestamp } from '../watermark';
import { sanitizeMessage } from './sanitize-message';
import { Receipts } from '../receipts/receipts.service';

const CREATED_AT = clampedTimestamp('$5');

/**
 * One statement: it claims the platform's id first, and everything else depends on that claim. A duplicate that arrives
 * meanwhile waits for the claim and then does nothing.
 */
const STORE = statement(
  'inbound-store',
  `WITH part AS (
     INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
     VALUES ($1, 0, $2, $3, $4, 'received', $5)
     ON CONFLICT (environment, platform, platform_message_id) WHERE platform_message_id IS NOT NULL AND status = 'received'
     DO NOTHING
     RETURNING message_id
   ),
   conversation AS (${OPEN_CONVERSATION(
     `SELECT $6::uuid, $2::environment, $3, $7, $8, $9, $10, 'active', 1, ${CREATED_AT}, ${CREATED_AT} FROM part`,
   )}),
   message AS (
     INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, kind, content, status, sender, options, created_at)
     SELECT $1, $2, id, message_count, $3, 'inbound', $11, $12, 'received', $13, $14, ${CREATED_AT} FROM conversation
     RETURNING id
   ),
   ${insertEvents('$15', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS stored`,
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
  ) {}

  onModuleInit(): void {
    this.sinks.register({
      message: (environment, platform, message) => this.receive(environment, platform, message),
      receipt: (environment, platform, receipt) => this.receipts.receive(environment, platform, receipt),
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
    const event = this.events.create('message.received', {
      message_id: toPublicId('message', id),
      conversation_id: toPublicId('conversation', conversationId),
      platform,
      environment,
      sender,
      content,
      timestamp: sentAt.toISOString(),
    });
    const [row] = await this.database.query<{ stored: boolean }>(STORE, [
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
      received.expectsReply === false ? JSON.stringify({ expects_reply: false }) : null,
      this.events.rows([event]),
    ]);
    if (!row!.stored) return undefined;
    this.directory.remember(environment, platform, participant.id, place);
    this.events.publish([event]);
    return id;
  }
}
