import { Ctx, On, Update } from 'nestjs-telegraf';
import type { Context } from 'telegraf';
import type { Update as TelegramUpdate } from 'telegraf/types';
import { InboundReader } from './inbound-reader.service';

/** What the bot listens to. Telegraf calls it for each update that is given to `bot.handleUpdate`. */
@Update()
export class TelegramUpdates {
  constructor(private readonly reader: InboundReader) {}

  @On('message')
  onMessage(@Ctx() context: Context<TelegramUpdate.MessageUpdate>): void {
    this.reader.collect(context.update, context.message);
  }
}
