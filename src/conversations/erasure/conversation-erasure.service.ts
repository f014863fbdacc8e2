import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository, type EntityManager } from 'typeorm';
import { ENVIRONMENTS, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Erasures } from '../../core/erasure/erasures.service';
import { Retention } from '../../core/events/retention.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { SettingsService } from '../../core/settings/settings.service';
import type { ErasedConversationDto } from '../dto/conversation.dto';
import { ConversationEntity } from '../entities/conversation.entity';
import { lockWithMerged } from '../lock-with-merged';
import { HandoverEntity } from '../entities/handover.entity';
import { PastHandoverEntity } from '../entities/past-handover.entity';
import { MarketingPreferenceEntity } from '../entities/marketing-preference.entity';
import { ParticipantAliasEntity } from '../entities/participant-alias.entity';
import { HAS_SCHEDULED } from './idle-conversations.rows';
import { DAY_MS } from '../../core/clock/timeline';

/** The most conversations that one transaction marks as erased. */
const IDLE_BATCH = 100;

/** A trigger of `conversations` removes the terms. */
export const ERASED_AT_ONCE = {
  conversations: ['participant_id', 'participant_name', 'participant_username', 'address', 'labels', 'metadata'],
  conversation_terms: ['term'],
  handovers: ['summary', 'note', 'assignee'],
  past_handovers: ['summary', 'note', 'assignee'],
  marketing_preferences: ['participant_id'],
  participant_aliases: ['alias', 'participant_id'],
};

/**
 * Erases conversations. The request removes the participant's identity under the lock of the conversation's row: a statement
 * that stores or changes a message commits before it, or no longer finds the conversation. The rest is due work.
 */
@Injectable()
export class ConversationErasure {
  constructor(
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly erasures: Erasures,
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    retention: Retention,
  ) {
    erasures.register({ erases: ERASED_AT_ONCE });
    for (const environment of ENVIRONMENTS) retention.addRule(() => this.eraseIdle(environment));
  }

  /** Also erases the conversations that it continues. @throws ApiError RESOURCE_NOT_FOUND */
  async erase(environment: Environment, id: string): Promise<ErasedConversationDto> {
    const erased = await this.conversations.manager.transaction((transaction) =>
      this.mark(transaction, environment, id),
    );
    for (const one of erased) this.erasures.wake(environment, one.id);
    return {
      id: toPublicId('conversation', id),
      erased: true,
      erased_at: erased.at(-1)!.erasedAt!.toISOString(),
    };
  }

  private async mark(transaction: EntityManager, environment: Environment, id: string): Promise<ConversationEntity[]> {
    const all = await lockWithMerged(transaction, environment, id);
    if (all.length === 0) throw ApiError.notFound('conversation', toPublicId('conversation', id));
    for (const one of all) one.erasedAt ??= await this.markLocked(transaction, one);
    return all;
  }

  /** Erases conversations without messages for `retention.message_days`. @returns whether there may be more */
  private async eraseIdle(environment: Environment): Promise<boolean> {
    const { message_days: days } = this.settings.of(environment).retention;
    if (days === null) return false;
    const since = new Date(this.clock.now() - days * DAY_MS);
    const [count, erased] = await this.conversations.manager.transaction(async (transaction) => {
      const rows = await transaction
        .withRepository(this.conversations)
        .createQueryBuilder('idle')
        .where('idle.environment = :environment AND idle.erasedAt IS NULL', { environment })
        // They are erased with the conversation that they were merged into.
        .andWhere('idle.mergedInto IS NULL')
        .andWhere('idle.lastMessageAt < :since AND idle.lastMessageSlot < :since', { since })
        .andWhere(`NOT ${HAS_SCHEDULED}`)
        .orderBy('idle.lastMessageSlot')
        .limit(IDLE_BATCH)
        .setLock('for_no_key_update')
        .setOnLocked('skip_locked')
        .getMany();
      const all = [];
      for (const { id } of rows) all.push(...(await this.mark(transaction, environment, id)));
      return [rows.length, all];
    });
    for (const { id } of erased) this.erasures.wake(environment, id);
    return count === IDLE_BATCH;
  }

  private async markLocked(
    transaction: EntityManager,
    { id, environment, platform, account, participantId, messageCount }: ConversationEntity,
  ): Promise<Date> {
    const erasedAt = this.clock.date();
    await transaction.withRepository(this.conversations).update(id, {
      participantId: null,
      participantName: null,
      participantUsername: null,
      address: null,
      lastInboundAt: null,
      labels: [],
      metadata: {},
      // Answers in progress are neither stored nor sent.
      handling: 'assistant',
      handlingSeq: messageCount,
      erasedAt,
    });
    await transaction.delete(HandoverEntity, id);
    await transaction.delete(PastHandoverEntity, { conversationId: id });
    // The same person may have conversations with other accounts.
    const person = { environment, platform, account, participantId: participantId! };
    const aliases = await transaction.findBy(ParticipantAliasEntity, person);
    const ids = [participantId!, ...aliases.map(({ alias }) => alias)];
    await transaction.delete(MarketingPreferenceEntity, { ...person, participantId: In(ids) });
    await transaction.delete(ParticipantAliasEntity, person);
    await this.erasures.add(transaction, id, environment, erasedAt);
    return erasedAt;
  }
}
