import { type DynamicModule, Module } from '@nestjs/common';
import { TelegrafCoreModule } from 'nestjs-telegraf/dist/telegraf-core.module';
import { TelegramListener } from './inbound/telegram.listener';
import { TelegramAdapter } from './telegram.adapter';
import { TELEGRAM_BOT, TELEGRAM_OPTIONS, type TelegramOptions } from './telegram.options';

/** Does not stop the bot, which was never launched (Telegraf throws then): the supervisor decides when it runs, and where. */
@Module({})
class SupervisedTelegrafModule extends TelegrafCoreModule {
  override async onApplicationShutdown(): Promise<void> {
    // The adapter closes its own connections.
  }
}

/** Gives a {@link TelegramAdapter}. It calls Telegram only when it is told to run or to send. */
@Module({})
export class TelegramModule {
  static forRoot(options: TelegramOptions): DynamicModule {
    const { token = '', apiRoot } = options;
    const telegraf = TelegrafCoreModule.forRoot({
      token,
      botName: TELEGRAM_BOT,
      launchOptions: false,
      include: [TelegramModule],
      options: { telegram: { apiRoot } },
    });
    return {
      module: TelegramModule,
      imports: [{ ...telegraf, module: SupervisedTelegrafModule }],
      providers: [{ provide: TELEGRAM_OPTIONS, useValue: options }, TelegramListener, TelegramAdapter],
      exports: [TelegramAdapter],
    };
  }
}
