import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type EntityManager, Repository } from 'typeorm';
import type { AccountKey } from '#contracts';
import { announce } from '../../core/database/database-listener.service';
import { queryIn, Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { ConversationDirectory, MOVED } from '../conversation-directory.service';
import { ConversationEntity, type LockedConversation } from '../entities/conversation.entity';
import { Handovers } from '../handover/handovers.service';
import { WITH_MERGED } from '../open-conversation.rows';
import { IS_ALIAS, LOCK_IDS, POINT_ALIASES, STORED_UNDER, TOPICS } from './aliases.rows';

/** A platform names one participant by two ids. */
interface Move extends AccountKey {
  from: string;
  /** The id that the conversation belongs to from now on. */
  to: string;
  /** That of the conversation from now on; default: it stays. */
  address?: string;
}

/**
 * Other ids of participants. A conversation is stored under one id, and the others are its aliases. If two ids turn out to be
 * of one person and both have a conversation, no message moves: the older conversation answers all ids from then on.
 */
@Injectable()
export class ParticipantAliases {
  constructor(
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly database: Database,
    private readonly directory: ConversationDirectory,
    private readonly handovers: Handovers,
    private readonly events: DomainEvents,
  ) {}

  /** The platform gave a participant another id: the conversation and its topics continue under it, and are found by both ids. */
  async migrate(at: AccountKey, from: string, to: string): Promise<void> {
    await this.join({ ...at, from, to });
    const { environment, platform, account } = at;
    if (platform !== 'telegram') return;
    const beginning = `${from}/`;
    // `0` is the character after `/`.
    const topics = await this.database.query<{ id: string }>(TOPICS, [
      environment,
      platform,
      beginning,
      `${from}0`,
      account,
    ]);
    for (const { id } of topics) await this.join({ ...at, from: id, to: `${to}/${id.slice(beginning.length)}` });
  }

  /**
   * A message to one id arrived at another one: from now on both are of one participant, unless the message is erased.
   * @param conversationId of the message
   */
  follow(move: Move, conversationId: string): Promise<void> {
    return this.join(move, conversationId);
  }

  private async join(move: Move, conversationId?: string): Promise<void> {
    const { environment, platform, account, from, to } = move;
    if (from === to || (await this.database.query(IS_ALIAS, [environment, platform, account, from, to])).length > 0)
      return;
    const events = await this.conversations.manager.transaction((transaction) =>
      this.joinIn(transaction, move, conversationId),
    );
    this.directory.forgetAll();
    this.events.publish(events);
  }

  private async joinIn(transaction: EntityManager, move: Move, conversationId?: string): Promise<DomainEvent[]> {
    const { environment, platform, account, from, to } = move;
    const [former, current] = await this.lockIds(transaction, move);
    const ids = [...new Set([from, former, current])];
    const locked = await transaction.withRepository(this.conversations).find({
      where: { environment, platform, account, participantId: In([...ids, to]) },
      // The order in which all changes lock the conversations of a person.
      order: { createdAt: 'DESC', id: 'DESC' },
      lock: { mode: 'for_no_key_update' },
    });
    const isKept = conversationId === undefined || locked.some(({ id }) => id === conversationId);
    if (!isKept && (await this.isErased(transaction, conversationId))) return [];
    const open = (locked as LockedConversation[]).filter(
      ({ participantId, mergedInto }) => mergedInto === null && [former, current].includes(participantId),
    );
    const kept = open.at(-1);
    const newer = open.length > 1 ? open[0] : undefined;
    const events = kept && newer ? await this.merge(transaction, kept, newer) : [];
    const occupant = locked.find(({ id, participantId }) => participantId === to && id !== kept?.id);
    if (kept && kept.participantId !== to) await this.rename(transaction, kept, move, occupant);
    if (isName(from)) await this.keepMerged(transaction, move, locked);
    await queryIn(transaction, POINT_ALIASES, [environment, platform, account, to, ids]);
    await announce(transaction, MOVED, platform);
    return events;
  }

  /** Locks both ids, and those under which their conversations are stored. @returns the latter */
  private async lockIds(transaction: EntityManager, move: Move): Promise<[string, string]> {
    const { environment, platform, from, to } = move;
    const locked = new Set<string>();
    let ids: [string, string] = [from, to];
    // A move that ran meanwhile may have stored them under another id.
    for (;;) {
      const missing = ids.filter((id) => !locked.has(id));
      if (missing.length === 0) return ids;
      await queryIn(transaction, LOCK_IDS, [environment, platform, missing]);
      for (const id of missing) locked.add(id);
      const [former, current] = await this.storedUnder(transaction, move, [from, to]);
      ids = [isName(from) ? from : former!, current!];
    }
  }

  private async storedUnder(
    transaction: EntityManager,
    { environment, platform, account }: Move,
    ids: readonly string[],
  ): Promise<string[]> {
    const rows = await queryIn<{ id: string }>(transaction, STORED_UNDER, [environment, platform, account, ids]);
    return rows.map(({ id }) => id);
  }

  private async isErased(transaction: EntityManager, id: string): Promise<boolean> {
    const conversation = await transaction.withRepository(this.conversations).findOneBy({ id });
    return conversation === null || conversation.participantId === null;
  }

  private async merge(
    transaction: EntityManager,
    kept: LockedConversation,
    newer: LockedConversation,
  ): Promise<DomainEvent[]> {
    const rows = transaction.withRepository(this.conversations);
    const events = await this.handovers.merge(transaction, kept, newer);
    await rows
      .createQueryBuilder()
      .update({ mergedInto: kept.id })
      .where(`id IN ${WITH_MERGED(':id::uuid')} AND merged_into IS NOT NULL`, { id: newer.id })
      .execute();
    await rows.update(newer.id, { status: 'archived', mergedInto: kept.id });
    await rows.update(kept.id, {
      participantName: newer.participantName ?? kept.participantName,
      participantUsername: newer.participantUsername ?? kept.participantUsername,
      address: newer.address ?? kept.address,
      lastMessageAt: later(kept.lastMessageAt, newer.lastMessageAt),
      lastInboundAt: later(kept.lastInboundAt, newer.lastInboundAt),
      ...(newer.status === 'active' && { status: 'active' }),
    });
    return events;
  }

  /** A merged conversation that has the name stays with the chat that it was merged into: it gets an alias of its own. */
  private async keepMerged(
    transaction: EntityManager,
    move: Move,
    locked: readonly ConversationEntity[],
  ): Promise<void> {
    const { environment, platform, account, from } = move;
    const merged = locked.find(({ participantId, mergedInto }) => participantId === from && mergedInto !== null);
    const [former] = await this.storedUnder(transaction, move, [from]);
    if (!merged || former === from) return;
    const own = `${from} ${merged.id}`;
    await transaction.withRepository(this.conversations).update(merged.id, { participantId: own });
    await queryIn(transaction, POINT_ALIASES, [environment, platform, account, former, [own]]);
  }

  /** @param occupant a merged conversation that has the id: it gets the former one, which is an alias now */
  private async rename(
    transaction: EntityManager,
    { id, participantId: former }: LockedConversation,
    { to, address }: Move,
    occupant: ConversationEntity | undefined,
  ): Promise<void> {
    const rows = transaction.withRepository(this.conversations);
    if (occupant) await rows.update(occupant.id, { participantId: null });
    await rows.update(id, { participantId: to, address });
    if (occupant) await rows.update(occupant.id, { participantId: former });
  }
}

/** Telegram may give an `@name` to another chat: then only the name moves, not the conversation that it led to. */
export function isName(id: string): boolean {
  return id.startsWith('@');
}

function later<T extends Date | null>(one: T, other: T): T {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
