import type { Update, UserFromGetMe } from 'telegraf/types';
import type { ConnectionObserver, InboundSink } from '../../platform.port';
import { describe } from '../connection-faults';
import type { Delivery } from './inbound-message';
import type { InboundReader } from './inbound-reader.service';

/** Updates of different chats are stored side by side, at most so many. */
const CONCURRENT_CHATS = 16;

export interface ProcessedUpdates {
  /** Every update before this one is stored (or known to be unusable) and may be confirmed. */
  nextOffset: number;
  /** Whether something could not be stored, so that updates from `nextOffset` must be asked for again. */
  failed: boolean;
}

/** Reads updates and stores what they mean. Within a chat, order is kept, and nothing is stored past a failure. */
export class InboundProcessor {
  constructor(
    private readonly reader: InboundReader,
    private readonly me: UserFromGetMe,
    private readonly sink: InboundSink,
    private readonly observer: Pick<ConnectionObserver, 'warning'>,
  ) {}

  async all(updates: readonly Update[], signal: AbortSignal): Promise<ProcessedUpdates> {
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

  /** False when it could not be stored. True also for an update that makes no sense: it never will. */
  async one(update: Update): Promise<boolean> {
    let deliveries: Delivery[];
    try {
      deliveries = await this.reader.read(update, this.me);
    } catch (error) {
      this.observer.warning({
        code: 'unusable_update',
        message: `Update ${update.update_id} was skipped: ${describe(error)}.`,
      });
      return true;
    }
    try {
      for (const delivery of deliveries) await this.store(delivery);
      return true;
    } catch (error) {
      const message = `Update ${update.update_id} could not be stored and will be asked for again: ${describe(error)}.`;
      this.observer.warning({ code: 'not_stored', message });
      return false;
    }
  }

  private store(delivery: Delivery): Promise<void> {
    if ('message' in delivery) return this.sink.message(delivery.message);
    return this.sink.migrate(delivery.migration.from, delivery.migration.to);
  }
}

/** One chain per chat; a single one if a chat changes its id among them, for then two ids are one conversation. */
function chains(updates: readonly Update[]): Update[][] {
  const chat = (update: Update): number | undefined => ('message' in update ? update.message?.chat?.id : undefined);
  const migrates = updates.some(
    (update) => 'message' in update && update.message && 'migrate_to_chat_id' in update.message,
  );
  if (migrates) return [[...updates]];
  return [...Map.groupBy(updates, chat).values()];
}
