import { UseFilters } from '@nestjs/common';
import { Ctx, On, Update } from 'nestjs-telegraf';
import { wordsOf } from '../../fault-words';
import { RethrowFilter } from '../../rethrow.filter';
import { readCallbackQuery } from './callback-query';
import type { InboundContext, InboundPorts } from './inbound-context';
import { readMessage } from './inbound-message';
import { readMembership } from './membership';
import { readReaction } from './reaction';

/**
 * Reads updates and stores their messages, edits, taps, reactions and notices: a method for each kind of update that the table
 * does not count. A method resolves once the update may be confirmed: it is stored, or makes no sense and never will. It rejects
 * when the update could not be stored.
 */
@Update()
@UseFilters(RethrowFilter)
export class TelegramListener {
  @On('message')
  async onMessage(@Ctx() { incoming, sink, observer, botInfo: bot }: InboundContext): Promise<void> {
    const received = readable(incoming.update_id, observer, () => readMessage(incoming.message!, bot));
    if (!received) return;
    if ('message' in received) await sink.message(received.message);
    else if ('migration' in received) await sink.migrate(received.migration.from, received.migration.to);
    else sink.ignored(received.ignored);
  }

  @On('edited_message')
  async onEdit(@Ctx() { incoming, sink, observer, botInfo: bot }: InboundContext): Promise<void> {
    const edited = incoming.edited_message!;
    const received = readable(incoming.update_id, observer, () => readMessage(edited, bot));
    if (!received) return;
    if (!('message' in received)) {
      sink.ignored('edited_message');
      return;
    }
    const { platformMessageId, sender, content } = received.message;
    const at = new Date((edited.edit_date ?? Number.NaN) * 1_000);
    await sink.change({ platformMessageId, authorId: sender.id, content, at });
  }

  @On('callback_query')
  async onTap(@Ctx() { incoming, sink, observer, answer }: InboundContext): Promise<void> {
    const query = incoming.callback_query!;
    const tap = readable(incoming.update_id, observer, () => readCallbackQuery(query) ?? LEFT_OUT);
    if (tap === LEFT_OUT) sink.ignored('callback_query');
    else if (tap) await sink.message(tap);
    await answer(query.id);
  }

  @On('message_reaction')
  async onReaction(@Ctx() { incoming, sink, observer }: InboundContext): Promise<void> {
    const reaction = readable(incoming.update_id, observer, () => readReaction(incoming.message_reaction!) ?? LEFT_OUT);
    if (reaction === LEFT_OUT) sink.ignored('message_reaction');
    else if (reaction) await sink.reaction(reaction);
  }

  @On('my_chat_member')
  async onMembership(@Ctx() { incoming, sink, observer }: InboundContext): Promise<void> {
    const notice = readable(incoming.update_id, observer, () => readMembership(incoming.my_chat_member!) ?? LEFT_OUT);
    if (notice === LEFT_OUT) sink.ignored('my_chat_member');
    else if (notice) await sink.notice(notice);
  }
}

/** An update that can be read and has nothing to store. */
const LEFT_OUT = Symbol('left out');

/** Skips malformed updates with a warning: a repetition would be malformed too. */
function readable<T>(updateId: number, observer: InboundPorts['observer'], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    observer.warning({ code: 'unusable_update', message: `Update ${updateId} was skipped: ${wordsOf(error)}.` });
    return undefined;
  }
}
