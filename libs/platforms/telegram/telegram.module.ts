import { type DynamicModule, Module } from '@nestjs/common';
import { InjectBot, TelegrafModule } from 'nestjs-telegraf';
import type { Telegraf } from 'telegraf';
import { TelegramListener } from './inbound/telegram.listener';
import { TelegramAdapter } from './telegram.adapter';
import { TELEGRAM_BOT, TELEGRAM_OPTIONS, type TelegramOptions } from './telegram.options';

/** Gives a {@link TelegramAdapter}. It calls Telegram only when it is told to run or to send. */
@Module({})
export class TelegramModule {
  /** nestjs-telegraf stops the bot with the application. Telegraf throws then, because the supervisor polls, not the bot. */
  constructor(@InjectBot(TELEGRAM_BOT) bot: Telegraf) {
    bot.stop = () => undefined;
  }

  static forRoot(options: TelegramOptions): DynamicModule {
    const { token = '', apiRoot } = options;
    const telegraf = TelegrafModule.forRoot({
      token,
      botName: TELEGRAM_BOT,
      launchOptions: false,
      include: [TelegramModule],
      options: { telegram: { apiRoot } },
    });
    return {
      module: TelegramModule,
      imports: [telegraf],
      providers: [{ provide: TELEGRAM_OPTIONS, useValue: options }, TelegramListener, TelegramAdapter],
      exports: [TelegramAdapter],
    };
  }
}
