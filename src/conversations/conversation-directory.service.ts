import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { chatOfTopic, newUuid, type AccountKey } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import { DatabaseListener } from '../core/database/database-listener.service';
import { FIND, LAST_INBOUND, OPEN_TOPIC } from './conversation-directory.rows';

/** The announcement that participants have other ids. */
export const MOVED = 'conversation-migrated';

/** The conversation that holds the messages with a participant. */
export interface ConversationSlot {
  /** The conversation's id, or a new id to open it under. */
  id: string;
  /** The id that the conversation is stored under, which may differ from the one asked for. */
  participantId: string;
}

/**
 * Finds the conversation with a participant, and caches its id. An erasure makes the id invalid: the statement that stores a message
 * under it then fails, and the caller looks the conversation up again (`retryOnConflict`).
 */
@Injectable()
export class ConversationDirectory implements OnModuleInit {
  private readonly known = new LRUCache<string, ConversationSlot>({ max: 50_000 });

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.listener.follow(MOVED, () => this.forgetAll());
  }

  /** For a statement that looks the conversation up itself: the cached id, or a new id to open the conversation under. */
  candidate(at: AccountKey, participantId: string): string {
    return this.known.get(keyOf(at, participantId))?.id ?? newUuid(this.clock.now());
  }

  async find(at: AccountKey, participantId: string): Promise<ConversationSlot> {
    const known = this.known.get(keyOf(at, participantId));
    if (known) return known;
    const [row] = await this.database.query<{ id: string | null; participant_id: string }>(FIND, [
      at.environment,
      at.platform,
      at.account,
      participantId,
    ]);
    return { id: row!.id ?? newUuid(this.clock.now()), participantId: row!.participant_id };
  }

  /** Call it before a message of a topic is stored: its first conversation takes over who has the chat. */
  async openTopic(at: AccountKey, participantId: string): Promise<void> {
    const { environment, platform, account } = at;
    const chat = chatOfTopic(platform, participantId);
    if (chat === undefined || this.known.has(keyOf(at, participantId))) return;
    const now = this.clock.now();
    const place = [environment, platform, participantId, chat];
    await this.database.query(OPEN_TOPIC, [...place, newUuid(now), newUuid(now), new Date(now), account]);
  }

  /** When the participant last wrote; null if they have not, as far as is stored. */
  async lastInboundAt({ environment, platform, account }: AccountKey, participantId: string): Promise<Date | null> {
    const values = [environment, platform, account, participantId];
    const [row] = await this.database.query<{ last_inbound_at: Date | null }>(LAST_INBOUND, values);
    return row?.last_inbound_at ?? null;
  }

  /** Call it after the conversation is committed. @param participantId the id asked for */
  remember(at: AccountKey, participantId: string, slot: ConversationSlot): void {
    this.known.set(keyOf(at, participantId), slot);
  }

  forget(at: AccountKey, participantId: string): void {
    this.known.delete(keyOf(at, participantId));
  }

  /** Participants have other ids now. Call it after the change is committed; `MOVED` tells the other instances. */
  forgetAll(): void {
    this.known.clear();
  }
}

function keyOf({ environment, platform, account }: AccountKey, participantId: string): string {
  return `${environment} ${platform} ${account} ${participantId}`;
}
