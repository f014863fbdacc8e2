import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/core/config/load-configuration';
import { startGateway, type Gateway } from '../../src/bootstrap';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { LOCAL_RECEIVERS } from '../fakes/receiver.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { makePassableFolder } from '../support/passable-folder';
import { EventLog } from './event-log';
import { openOrderDesk } from './order-desk';
import { answer } from './script';

/** The real gateway, with two fake servers that play Telegram and Anthropic. */
export interface Stage {
  gateway: Gateway;
  /** A live key with scope `*`. */
  apiKey: string;
  telegram: TelegramFake;
  anthropic: AnthropicFake;
  events: EventLog;
  /** The café's own software, which answers the calls of a tool. */
  orderDesk: { url: string; secret: string };
  /** Holds the database and all other data; `close` deletes it. */
  directory: string;
  /** Stops everything and deletes all data. */
  close(): Promise<void>;
}

/** Uses free ports and its own data directory, so it does not disturb a gateway that already runs on this machine. */
export async function openStage(logLevel: string): Promise<Stage> {
  const directory = await makePassableFolder('gateway-demo-');
  const telegram = new TelegramFake({ bot: { first_name: 'Café Lumen', username: 'cafe_lumen_bot' } });
  const anthropic = new AnthropicFake();
  const discard = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  // Deletes the data if the process ends without `close`. The database ends with the process.
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
    const secret = randomBytes(24).toString('base64');
    const { url, close: closeDesk } = await openOrderDesk(secret);
    closers.push(closeDesk);
    const gateway = await startGateway(configurationFor(directory, telegram, anthropic, logLevel));
    closers.push(() => gateway.close());
    const events = await EventLog.open(gateway.databaseUrl);
    closers.push(() => events.close());
    const apiKey = gateway.createdKeys[0]!;
    return { gateway, apiKey, telegram, anthropic, events, orderDesk: { url, secret }, directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ignores the real environment variables: the demonstration must not use a real DATABASE_URL or token. */
function configurationFor(directory: string, telegram: TelegramFake, anthropic: AnthropicFake, logLevel: string) {
  return loadConfiguration({
    PORT: '0',
    DATA_DIR: join(directory, 'data'),
    LOG_LEVEL: logLevel,
    ...LOCAL_RECEIVERS,
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    ANTHROPIC_API_KEY: anthropic.apiKey,
    ANTHROPIC_BASE_URL: anthropic.url,
  });
}
