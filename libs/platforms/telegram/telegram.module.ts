import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { TelegrafModule } from 'nestjs-telegraf';
import { InboundReader } from './inbound/inbound-reader.service';
import { TelegramAdapter } from './telegram.adapter';
import { TELEGRAM_BOT, TELEGRAM_OPTIONS, type TelegramOptions } from './telegram.options';
import { TelegramUpdates } from './inbound/telegram.listener';

export interface TelegramAsyncOptions extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider, 'inject'> {
  // The factory's arguments are whatever `inject` names, as in every Nest module.
  useFactory: (...dependencies: never[]) => TelegramOptions | Promise<TelegramOptions>;
}

@Module({})
class TelegramOptionsModule {}

/** Gives a {@link TelegramAdapter}. It calls Telegram only when it is told to run or to send. */
@Module({})
export class TelegramModule {
  static forRoot(options: TelegramOptions): DynamicModule {
    return this.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports, inject, useFactory }: TelegramAsyncOptions): DynamicModule {
    const options: DynamicModule = {
      module: TelegramOptionsModule,
      imports,
      providers: [{ provide: TELEGRAM_OPTIONS, inject, useFactory }],
      exports: [TELEGRAM_OPTIONS],
    };
    const bot = TelegrafModule.forRootAsync({
      botName: TELEGRAM_BOT,
      imports: [options],
      inject: [TELEGRAM_OPTIONS],
      useFactory: ({ token, apiRoot }: TelegramOptions) => ({
        token: token ?? '',
        // The bot is never launched: the supervisor decides when and on which instance it runs.
        launchOptions: false,
        include: [TelegramModule],
        options: { telegram: { apiRoot }, handlerTimeout: Infinity },
      }),
    });
    return {
      module: TelegramModule,
      imports: [options, bot],
      providers: [InboundReader, TelegramUpdates, TelegramAdapter],
      exports: [TelegramAdapter],
    };
  }
}
