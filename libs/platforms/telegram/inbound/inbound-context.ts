import type { TelegramUpdate } from '@gramio/types/objects';
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

/** The update with the types of the newest Bot API, which Telegraf does not know. */
export interface Incoming {
  incoming: TelegramUpdate;
}

/** Telegraf's argument for the listener. */
export type InboundContext = Context & InboundPorts & Incoming;

export function inboundContext(
  incoming: TelegramUpdate,
  telegram: Telegram,
  me: UserFromGetMe,
  ports: InboundPorts,
): InboundContext {
  return Object.assign(new Context(incoming as unknown as Update, telegram, me), ports, { incoming });
}
