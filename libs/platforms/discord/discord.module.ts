import { type DynamicModule, Module } from '@nestjs/common';
import { DiscordAdapter } from './discord.adapter';
import { DISCORD_OPTIONS, type DiscordOptions } from './discord.options';

/** Gives a {@link DiscordAdapter}. It calls Discord, and loads discord.js, only when it is told to run or to send. */
@Module({})
export class DiscordModule {
  static forRoot(options: DiscordOptions): DynamicModule {
    return {
      module: DiscordModule,
      providers: [{ provide: DISCORD_OPTIONS, useValue: options }, DiscordAdapter],
      exports: [DiscordAdapter],
    };
  }
}
