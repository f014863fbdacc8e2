import { TelegramFake } from '../../fakes/telegram.fake';

/** Telegram, which takes every message. */
async function main(): Promise<void> {
  const telegram = new TelegramFake({ token: process.env['TELEGRAM_BOT_TOKEN']! });
  await telegram.start();
  // The fake remembers what it was asked; a bench asks more than is worth keeping.
  setInterval(
    () => [telegram.requests, telegram.sent, telegram.actions].forEach((list) => list.splice(0)),
    1_000,
  ).unref();
  console.log(`API ${telegram.url}/api/v1`);
}

process.on('SIGTERM', () => process.exit(0));
void main();
