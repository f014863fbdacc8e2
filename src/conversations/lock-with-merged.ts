import type { EntityManager } from 'typeorm';
import type { Environment } from '#contracts';
import { ConversationEntity } from './entities/conversation.entity';
import { currentOf, WITH_MERGED } from './open-conversation.rows';

/**
 * Locks a conversation and all that are merged into it, newest first, in which order every change locks them: the last one is the
 * conversation itself. A merged conversation stands for the one that it was merged into.
 */
export async function lockWithMerged(
  transaction: EntityManager,
  environment: Environment,
  id: string,
): Promise<ConversationEntity[]> {
  for (;;) {
    const locked = await transaction
      .createQueryBuilder(ConversationEntity, 'conversation')
      .where('conversation.environment = :environment', { environment })
      .andWhere(`conversation.id IN ${WITH_MERGED(currentOf(':id'))}`, { id })
      .orderBy('conversation.createdAt', 'DESC')
      .addOrderBy('conversation.id', 'DESC')
      .setLock('for_no_key_update')
      .getMany();
    // It was merged while the statement waited for its lock.
    if (!locked.at(-1)?.mergedInto) return locked;
  }
}
