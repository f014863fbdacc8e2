import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { Client, GatewayIntentBits, type GatewayDispatchPayload, Options } from 'discord.js';
import { Context, NecordModule, type NecordModuleOptions, On } from 'necord';

/** Necord logs in when the application starts; here the supervisor decides when, and on which instance. */
@Module({})
export class SupervisedNecordModule extends NecordModule {
  // The signature is Necord's, whose promise is that of the login.
  override onApplicationBootstrap(): Promise<string> {
    return Promise.resolve('');
  }
}

export type DispatchHandler = (packet: GatewayDispatchPayload) => void;

/**
 * What the client listens to. The raw event, because it alone tells an event's sequence number, which is acknowledged
 * only once the message is stored; it also comes for direct messages that discord.js has no channel for
 * (`Partials.Channel` would make it keep one for every person who ever wrote).
 *
 * A class of its own for every client: Necord remembers at the method what it was bound to first, so that of two clients
 * with one class the second would call the first one's.
 */
function listenerClass(handle: DispatchHandler): Type {
  @Injectable()
  class DispatchListener {
    // discord.js emits it, but leaves it out of its types.
    @On('raw' as never)
    onDispatch(@Context() [packet]: [GatewayDispatchPayload, number]): void {
      handle(packet);
    }
  }
  return DispatchListener;
}

/** One client, for one connection. */
@Module({})
export class DiscordClientModule {
  static create(options: Pick<NecordModuleOptions, 'token' | 'rest' | 'ws'>, handle: DispatchHandler): DynamicModule {
    const necord = SupervisedNecordModule.forRoot({
      ...options,
      intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.DirectMessages,
        GatewayIntentBits.MessageContent,
      ],
      // There are no commands, and registering them would be a REST call.
      skipRegistration: true,
      // Messages are read from the raw event; whatever is kept would only fill memory.
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        PresenceManager: 0,
        ReactionManager: 0,
        ThreadMemberManager: 0,
        VoiceStateManager: 0,
      }),
    });
    return {
      module: DiscordClientModule,
      imports: [necord],
      providers: [listenerClass(handle)],
    };
  }
}

export { Client };
