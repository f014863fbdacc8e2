import { UseFilters } from '@nestjs/common';
import type { CallbackQuery, MessageReactionUpdated } from 'telegraf/types';
import { Ctx, On, Update } from 'nestjs-telegraf';
import { wordsOf } from '../../fault-words';
import { RethrowFilter } from '../../rethrow.filter';
import { readCallbackQuery } from './callback-query';
import type { InboundContext, InboundPorts } from './inbound-context';
import type { AnyMessage } from './inbound-content';
import { readMessage } from './inbound-message';
import { readReaction } from './reaction';

/** Reads updates and stores their messages, edits, taps and reactions. */
@Update()
@UseFilters(RethrowFilter)
export class TelegramListener {
  /**
   * Resolves once the update may be confirmed: it is stored, or makes no sense and never will. Rejects when it could not be
   * stored.
   */
  @On('message')
  async onMessage(@Ctx() { update, message, sink, observer }: InboundContext): Promise<void> {
    const received = readable(update.update_id, observer, () => readMessage(message));
    if (!received) return;
    if ('message' in received) await sink.message(received.message);
    else await sink.migrate(received.migration.from, received.migration.to);
  }

  @On('edited_message')
  async onEdit(@Ctx() { update, sink, observer }: InboundContext): Promise<void> {
    // `@On` names the kind of the update, which Telegraf's type does not know here.
    const { edited_message: edited } = update as unknown as { edited_message: AnyMessage & { edit_date?: number } };
    const received = readable(update.update_id, observer, () => readMessage(edited));
    if (!received || !('message' in received)) return;
    const { platformMessageId, sender, content, albumId, hasCaption } = received.message;
    // Only one item has the album's caption, and any item may be edited. So the removal of a caption is missed.
    if (albumId !== undefined && !hasCaption) return;
    const at = new Date((edited.edit_date ?? Number.NaN) * 1_000);
    await sink.change({ platformMessageId, authorId: sender.id, content, at });
  }

  @On('callback_query')
  async onTap(@Ctx() { update, sink, observer, answer }: InboundContext): Promise<void> {
    // `@On` names the kind of the update, which Telegraf's type does not know here.
    const { callback_query: query } = update as unknown as { callback_query: CallbackQuery };
    const tap = readable(update.update_id, observer, () => readCallbackQuery(query));
    if (tap) await sink.message(tap);
    await answer(query.id);
  }

  @On('message_reaction')
  async onReaction(@Ctx() { update, sink, observer }: InboundContext): Promise<void> {
    // `@On` names the kind of the update, which Telegraf's type does not know here.
    const { message_reaction: updated } = update as unknown as { message_reaction: MessageReactionUpdated };
    const reaction = readable(update.update_id, observer, () => readReaction(updated));
    if (reaction) await sink.reaction(reaction);
  }
}

/** Skips malformed updates with a warning: a repetition would be malformed too. */
function readable<T>(updateId: number, observer: InboundPorts['observer'], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    observer.warning({ code: 'unusable_update', message: `Update ${updateId} was skipped: ${wordsOf(error)}.` });
    return undefined;
  }
}
