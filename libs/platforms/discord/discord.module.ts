import { type DynamicModule, Module } from '@nestjs/common';
import { DiscordAdapter } from './discord.adapter';
import { DISCORD_OPTIONS, type DiscordOptions } from './discord.options';

/** Gives a {@link DiscordAdapter}. It calls Discord only when it is told to run or to send. */
@Module({})
export class DiscordModule {
  static forRoot(options: DiscordOptions): DynamicModule {
    return {
      module: DiscordModule,
      imports: options.token ? [botModule(options)] : [],
      providers: [{ provide: DISCORD_OPTIONS, useValue: options }, DiscordAdapter],
      exports: [DiscordAdapter],
    };
  }
}

/** Loads discord.js only with a bot token: it costs 80 MB and most of a second. */
async function botModule(options: DiscordOptions): Promise<DynamicModule> {
  const { DiscordBotModule } = await import('./discord-bot.module.js');
  return DiscordBotModule.forRoot(options);
}
