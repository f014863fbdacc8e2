import { TelegramFake } from '../../fakes/telegram.fake';

/** A fake Telegram that accepts every message. */
async function main(): Promise<void> {
  const telegram = new TelegramFake({ token: process.env['TELEGRAM_BOT_TOKEN']! });
  await telegram.start();
  // The fake records each request, and a bench makes too many to keep.
  setInterval(
    () => [telegram.requests, telegram.sent, telegram.actions].forEach((list) => list.splice(0)),
    1_000,
  ).unref();
  console.log(`API ${telegram.url}/api/v1`);
}

process.on('SIGTERM', () => process.exit(0));
void main();
