import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { newUuid, type Environment, type Platform } from '#contracts';
import { Clock } from '../core/clock/clock';
import { Database, statement } from '../core/database/database';
import { ANNOUNCE, DatabaseListener } from '../core/database/database-listener';

const MIGRATED = 'conversation-migrated';

const FIND = statement(
  'conversation-find',
  'SELECT id FROM conversations WHERE environment = $1 AND platform = $2 AND participant_id = $3',
);

/** A conversation already under the new id stays, and the old one keeps its history under the old id. */
const MIGRATE = statement(
  'conversation-migrate',
  `UPDATE conversations SET participant_id = $4
   WHERE environment = $1 AND platform = $2 AND participant_id = $3
     AND NOT EXISTS (SELECT FROM conversations WHERE environment = $1 AND platform = $2 AND participant_id = $4)
   RETURNING 1`,
);

/** Finds the id of the conversation with a participant. Ids never change, so they are remembered. */
@Injectable()
export class ConversationDirectory implements OnModuleInit {
  private readonly known = new LRUCache<string, string>({ max: 50_000 });

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.listener.on(MIGRATED, () => this.known.clear());
    this.listener.onResync(() => this.known.clear());
  }

  /** The conversation's id, or a new one for it to be opened under. */
  async idFor(environment: Environment, platform: Platform, participantId: string): Promise<string> {
    const name = keyOf(environment, platform, participantId);
    const known = this.known.get(name);
    if (known) return known;
    const [row] = await this.database.query<{ id: string }>(FIND, [environment, platform, participantId]);
    return row?.id ?? newUuid(this.clock.now());
  }

  /** To be called once the conversation surely exists under this id. */
  remember(environment: Environment, platform: Platform, participantId: string, id: string): void {
    this.known.set(keyOf(environment, platform, participantId), id);
  }

  forget(environment: Environment, platform: Platform, participantId: string): void {
    this.known.delete(keyOf(environment, platform, participantId));
  }

  /** The platform gave a participant another id: the conversation goes on under it. */
  async migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void> {
    const renamed = await this.database.query(MIGRATE, [environment, platform, from, to]);
    // WhatsApp tells with many messages which two ids are one person: mostly nothing is left to rename.
    if (renamed.length === 0) return;
    this.known.clear();
    await this.database.query(ANNOUNCE, [MIGRATED, platform]);
  }
}

function keyOf(environment: Environment, platform: Platform, participantId: string): string {
  return `${environment} ${platform} ${participantId}`;
}
