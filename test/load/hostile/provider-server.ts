import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWER, MODEL, PROVIDER_DELAY_MS } from '../ai/exchange';

/** The answer to every call. */
const MESSAGE = JSON.stringify({
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [{ type: 'text', text: ANSWER }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
});

// A provider that does not parse the bodies: those with files of strangers would delay the answers to honest people.
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    void sleep(PROVIDER_DELAY_MS).then(() => response.setHeader('content-type', 'application/json').end(MESSAGE));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
});
process.on('SIGTERM', () => process.exit(0));
