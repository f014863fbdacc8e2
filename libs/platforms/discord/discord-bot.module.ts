import { type DynamicModule, Module } from '@nestjs/common';
import { Client, GatewayIntentBits } from 'discord.js';
import { NecordModule } from 'necord';
import { DiscordBot } from './discord-bot';
import { DISCORD_BOT, type DiscordOptions } from './discord.options';
import { type ConnectionEvents, DiscordListener } from './inbound/discord.listener';

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.DirectMessageReactions,
  GatewayIntentBits.MessageContent,
];

/** The client of all bots that are added while the gateway runs. Necord binds its listeners at the start only. */
let shared: Client | undefined;

/** The bot of another account. */
export function otherBot(options: DiscordOptions): DiscordBot {
  shared ??= listeningClient();
  return new DiscordBot(shared, options);
}

function listeningClient(): Client {
  const client = new Client({ intents: INTENTS });
  const listener = new DiscordListener();
  const onRaw = (...event: ConnectionEvents['raw']) => listener.onDispatch(event);
  // discord.js' types omit `raw`.
  client.on('raw' as never, onRaw as never);
  return client;
}

/**
 * Does not log in when the application starts: the supervisor decides when a connection is made, and on which instance.
 * Each connection emits what it receives on the one client of this module, to which Necord binds the listener.
 */
@Module({})
class SupervisedNecordModule extends NecordModule {
  // Necord's own method returns the promise of its login, which has this type.
  override onApplicationBootstrap(): Promise<string> {
    return Promise.resolve('');
  }
}

/** Everything that needs discord.js; loaded only with a bot token. */
@Module({})
export class DiscordBotModule {
  static forRoot(options: DiscordOptions): DynamicModule {
    const necord = SupervisedNecordModule.forRoot({
      token: options.token ?? '',
      intents: INTENTS,
      // There are no commands, and registering them would be a REST call.
      skipRegistration: true,
    });
    const bot = {
      provide: DISCORD_BOT,
      inject: [Client],
      useFactory: (client: Client): DiscordBot => new DiscordBot(client, options),
    };
    return { module: DiscordBotModule, imports: [necord], providers: [bot, DiscordListener], exports: [bot] };
  }
}
