import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { DiscordAdapter } from './discord.adapter';
import { DISCORD_OPTIONS, type DiscordOptions } from './discord.options';

export interface DiscordAsyncOptions extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider, 'inject'> {
  // The factory's arguments are whatever `inject` names, as in every Nest module.
  useFactory: (...dependencies: never[]) => DiscordOptions | Promise<DiscordOptions>;
}

/** Gives a {@link DiscordAdapter}. It calls Discord, and loads discord.js, only when it is told to run or to send. */
@Module({})
export class DiscordModule {
  static forRoot(options: DiscordOptions): DynamicModule {
    return this.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports, inject, useFactory }: DiscordAsyncOptions): DynamicModule {
    return {
      module: DiscordModule,
      imports,
      providers: [{ provide: DISCORD_OPTIONS, inject, useFactory }, DiscordAdapter],
      exports: [DiscordAdapter],
    };
  }
}
