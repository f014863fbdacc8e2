import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { getBotToken, InjectAllBots } from 'nestjs-telegraf';
import type { Telegraf } from 'telegraf';
import type { Update, UserFromGetMe } from 'telegraf/types';
import type { AnyMessage } from './inbound-content';
import { type Delivery, readMessage } from './inbound-message';
import { TELEGRAM_BOT } from '../telegram.options';

/** What listeners made of an update. */
interface Reading {
  deliveries: Delivery[];
  faults: unknown[];
}

/**
 * Sends an update through Telegraf and its listeners, and gives what they made of it. Listeners only read: storing comes
 * after, so that an update that cannot be read is told from one that could not be stored.
 */
@Injectable()
export class InboundReader implements OnApplicationShutdown {
  /** What belongs to which update; several are read at the same time. */
  private readonly collected = new WeakMap<Update, Reading>();

  constructor(
    @Inject(getBotToken(TELEGRAM_BOT)) private readonly bot: Telegraf,
    @InjectAllBots() private readonly allBots: Map<string, Telegraf>,
  ) {
    // nestjs-telegraf stops the bot at shutdown, and Telegraf throws at a bot that it did not launch itself; ours never is.
    bot.stop = () => undefined;
    // nestjs-telegraf logs what listeners throw and goes on, which would confirm an update that was not read.
    bot.catch((error) => {
      throw error;
    });
  }

  /** Rejects when the update is not what the Bot API documents: asking for it again would give the same. */
  async read(update: Update, me: UserFromGetMe): Promise<Delivery[]> {
    const reading: Reading = { deliveries: [], faults: [] };
    this.collected.set(update, reading);
    // Telegraf would ask for it itself, once, and remember a failure for ever.
    this.bot.botInfo = me;
    await this.bot.handleUpdate(update);
    if (reading.faults.length > 0) throw reading.faults[0];
    return reading.deliveries;
  }

  /** For listeners. Never throws: the application's filters, made for HTTP, would fail at the error and replace it. */
  collect(update: Update, message: AnyMessage): void {
    const reading = this.collected.get(update);
    try {
      const delivery = readMessage(message);
      if (delivery) reading?.deliveries.push(delivery);
    } catch (error) {
      reading?.faults.push(error);
    }
  }

  /** The map is one for the whole process and only ever grows; another application may have taken the name since. */
  onApplicationShutdown(): void {
    const name = getBotToken(TELEGRAM_BOT);
    if (this.allBots.get(name) === this.bot) this.allBots.delete(name);
  }
}
