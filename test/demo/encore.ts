import { createInterface } from 'node:readline';
import type { Printer } from './printer';
import { ADA } from './script';
import type { Stage } from './stage';

/** The longest delay that setTimeout accepts: 25 days. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** After the conversation: prints the URLs, shows each message on Telegram, and sends each typed line as Ada. */
export function stayUp({ gateway, apiKey, telegram }: Stage, printer: Printer): void {
  const api = `${gateway.url}/api/v1`;
  printer.title('The demo keeps running until Ctrl-C. Then all its data is deleted.');
  printer.fact('API', api);
  printer.fact('Docs', `${gateway.url}/docs`);
  printer.fact('Key', apiKey);
  printer.title('Try, in another terminal:');
  printer.line(`curl -s ${api}/conversations -H 'Authorization: Bearer ${apiKey}'`);
  printer.line(`curl -s ${api}/messages/send -H 'Authorization: Bearer ${apiKey}' \\`);
  printer.line(
    `  -H 'Content-Type: application/json' -d '{"platform":"telegram","recipient":"${ADA.id}","message":"Hello from curl"}'`,
  );
  void showArrivals(telegram, printer);
  if (!process.stdin.isTTY) return;
  printer.title(
    `Or type here: each line is one that ${ADA.first_name} writes on Telegram, such as “Is order 1043 ready?”.`,
  );
  createInterface({ input: process.stdin }).on('line', (text) => {
    if (text.trim() !== '') telegram.receiveText({ chatId: ADA.id, from: ADA, text });
  });
}

async function showArrivals(telegram: Stage['telegram'], printer: Printer): Promise<void> {
  for (let shown = telegram.sent.length; telegram.isRunning; shown += 1) {
    const sent = await telegram.waitForSent(shown + 1, FOR_EVER_MS);
    const { chat_id, text } = sent[shown]!;
    printer.fact('Telegram', `chat ${chat_id}: “${text}”`);
  }
}
