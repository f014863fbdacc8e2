import { RecordingSink } from './recording-sink';
import { TelegramHarness } from './telegram.harness';

const SECRET = 'a-secret';
/** A message that Ada writes in her private chat, without content. */
export const MESSAGE = {
  message_id: 7,
  date: 1_795_860_000,
  from: { id: 41, is_bot: false, first_name: 'Ada' },
  chat: { id: 41, type: 'private', first_name: 'Ada' },
};

/** Telegram's adapter behind its webhook: `receive` resolves once the adapter answered. */
export class TelegramReceiver {
  sink = new RecordingSink();
  private telegram!: TelegramHarness;
  private updates = 0;

  async start(): Promise<void> {
    const webhookUrl = 'http://127.0.0.1:9/callbacks/telegram';
    this.telegram = await TelegramHarness.start({ webhookUrl, webhookSecret: SECRET });
  }

  async stop(): Promise<void> {
    await this.telegram.stop();
  }

  clear(): void {
    this.sink = new RecordingSink();
  }

  /** @returns the status of the answer */
  async receive(update: object): Promise<number> {
    this.updates += 1;
    const request = {
      method: 'POST' as const,
      query: {},
      headers: { 'x-telegram-bot-api-secret-token': SECRET },
      rawBody: Buffer.from(JSON.stringify({ update_id: this.updates, ...update })),
    };
    return (await this.telegram.adapter.callback(request, this.sink)).status;
  }

  /** @param fields of a message that Ada writes in her private chat */
  async message(fields: object): Promise<void> {
    await this.receive({ message: { ...MESSAGE, ...fields } });
  }

  async edit(fields: object): Promise<void> {
    await this.receive({ edited_message: { ...MESSAGE, edit_date: MESSAGE.date + 9, ...fields } });
  }
}
