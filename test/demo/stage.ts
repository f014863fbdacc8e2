import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/core/config/load-configuration';
import { startGateway, type Gateway } from '../../src/bootstrap';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { makePassableFolder } from '../support/passable-folder';
import { EventLog } from './event-log';
import { answer } from './script';

/** What the demonstration plays on: the real gateway between two servers that play Telegram and Anthropic. */
export interface Stage {
  gateway: Gateway;
  /** With scope `*`, of the live environment. */
  apiKey: string;
  telegram: TelegramFake;
  anthropic: AnthropicFake;
  events: EventLog;
  /** Holds the database and everything else that is thrown away at the end. */
  directory: string;
  /** Ends everything and leaves nothing behind. */
  close(): Promise<void>;
}

/** Free ports and a data directory of its own: a gateway that runs on this machine already is not touched. */
export async function openStage(logLevel: string): Promise<Stage> {
  const directory = await makePassableFolder('gateway-demo-');
  const telegram = new TelegramFake({ bot: { first_name: 'Café Lumen', username: 'cafe_lumen_bot' } });
  const anthropic = new AnthropicFake();
  const discard = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  // Should the process end without waiting for `close`: the database ends by itself with the process.
  process.once('exit', discard);
  const closers: (() => unknown)[] = [() => process.off('exit', discard), discard];
  const close = async () => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    anthropic.replyWith(answer);
    for (const fake of [telegram, anthropic]) {
      await fake.start();
      closers.push(() => fake.stop());
    }
    const gateway = await startGateway(configurationFor(directory, telegram, anthropic, logLevel));
    closers.push(() => gateway.close());
    const events = await EventLog.open(gateway.databaseUrl);
    closers.push(() => events.close());
    return { gateway, apiKey: gateway.createdKeys[0]!, telegram, anthropic, events, directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nothing of the environment but what is named here: a DATABASE_URL or a real token in it is not for playing with. */
function configurationFor(directory: string, telegram: TelegramFake, anthropic: AnthropicFake, logLevel: string) {
  return loadConfiguration({
    PORT: '0',
    DATA_DIR: join(directory, 'data'),
    LOG_LEVEL: logLevel,
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    ANTHROPIC_API_KEY: anthropic.apiKey,
    ANTHROPIC_BASE_URL: anthropic.url,
  });
}
