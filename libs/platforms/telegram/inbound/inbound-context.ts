import { Context } from 'telegraf';
import type { Telegram } from 'telegraf';
import type { Update, UserFromGetMe } from 'telegraf/types';
import type { ConnectionObserver, InboundSink } from '../../platform.port';

/** Where the listener stores an update's message, and where it reports an update that it cannot read. */
export interface InboundPorts {
  sink: InboundSink;
  observer: Pick<ConnectionObserver, 'warning'>;
  /** Acknowledges a tap on a button. Never rejects. */
  answer: (queryId: string) => Promise<void>;
}

/** What Telegraf gives to the listener. */
export type InboundContext = Context<Update.MessageUpdate> & InboundPorts;

export function inboundContext(
  update: Update,
  telegram: Telegram,
  me: UserFromGetMe,
  ports: InboundPorts,
): InboundContext {
  // The bot's listener takes updates with a message only; Telegraf's own context says no more of them before that.
  return Object.assign(new Context(update as Update.MessageUpdate, telegram, me), ports);
}
