import type { TelegramUpdate } from '@gramio/types/objects';
import type { Telegraf } from 'telegraf';
import type { UserFromGetMe } from 'telegraf/types';
import { wordsOf } from '../../fault-words';
import { type InboundContext, inboundContext, type InboundPorts } from './inbound-context';
import { dispatchOf } from './kinds/update-kinds';

/** How many updates of different chats are stored at once. */
const CONCURRENT_CHATS = 16;

export interface ProcessedUpdates {
  /** Every update before this one is stored (or known to be unusable) and may be confirmed. */
  nextOffset: number;
  /** Whether an update could not be stored, so that updates from `nextOffset` on must be requested again. */
  failed: boolean;
}

/** Gives updates to the bot's listener. Within a chat, order is kept, and nothing is stored past a failure. */
export class InboundProcessor {
  constructor(
    private readonly bot: Telegraf<InboundContext>,
    private readonly me: UserFromGetMe,
    private readonly ports: InboundPorts,
  ) {}

  async all(updates: readonly TelegramUpdate[], signal: AbortSignal): Promise<ProcessedUpdates> {
    const waiting = chains(updates);
    let firstFailed = Infinity;
    const work = async (): Promise<void> => {
      for (let chain; (chain = waiting.shift());) {
        for (const update of chain) {
          if (!signal.aborted && (await this.one(update))) continue;
          firstFailed = Math.min(firstFailed, update.update_id);
          break;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_CHATS, waiting.length) }, work));
    const failed = firstFailed !== Infinity;
    return { nextOffset: failed ? firstFailed : Math.max(...updates.map((update) => update.update_id)) + 1, failed };
  }

  /** @returns false when the update could not be stored */
  async one(update: TelegramUpdate): Promise<boolean> {
    const dispatch = dispatchOf(update);
    if ('ignored' in dispatch) {
      this.ports.sink.ignored(dispatch.ignored);
      return true;
    }
    const context = inboundContext(dispatch.update, this.bot.telegram, this.me, this.ports);
    try {
      // Not `bot.handleUpdate`: in it nestjs-telegraf logs an error of the listener, and the update counts as handled.
      await this.bot.middleware()(context, () => Promise.resolve());
      return true;
    } catch (error) {
      const message = `Update ${update.update_id} could not be stored and will be asked for again: ${wordsOf(error)}.`;
      this.ports.observer.warning({ code: 'not_stored', message });
      return false;
    }
  }
}

/** One chain per chat. A single chain if a chat changes its id in these updates, because two ids are then one conversation. */
function chains(updates: readonly TelegramUpdate[]): TelegramUpdate[][] {
  const chat = ({ message, edited_message, message_reaction, callback_query }: TelegramUpdate): number | undefined =>
    (message ?? edited_message ?? message_reaction ?? callback_query?.message)?.chat?.id;
  if (updates.some(({ message }) => message?.migrate_to_chat_id !== undefined)) return [[...updates]];
  return [...Map.groupBy(updates, chat).values()];
}
