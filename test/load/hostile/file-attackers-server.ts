import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { png } from '../../support/png';
import { callGateway } from '../api-request';
import { listen } from '../webhooks/control-server';
import { FileAttackers, LIMITED } from './file-attackers';

// WhatsApp with strangers, a host of attachments, a slow server of transcripts and clients with a key of the test environment.
// They share a process, so that they do not slow the honest people down.

const FETCHED_BYTES = 1_000_000;
const TRANSCRIPT_MS = 5_000;
const TEST_KEY = {
  name: 'attacker',
  environment: 'test',
  scopes: ['read:messages', 'read:conversations', 'write:messages'],
};

const whatsapp = new WhatsAppFake();
let attackers: FileAttackers | undefined;
const host = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url !== '/transcript') response.end(png(1, 1, FETCHED_BYTES));
    else
      void sleep(TRANSCRIPT_MS).then(() =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'Call me back.' })),
      );
  });
});

async function main(): Promise<void> {
  await whatsapp.start();
  for (const chat of LIMITED) whatsapp.refuse(chat, 131_056);
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const files = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  // The fake records each request, and a bench makes too many to keep.
  setInterval(() => [whatsapp.requests, whatsapp.sent].forEach((list) => list.splice(0)), 1_000).unref();
  listen({
    environment: () => Promise.resolve({ ...whatsapp.env, TRANSCRIBE_URL: `${files}/transcript` }),
    begin: async ({ port }) => {
      const origin = `http://127.0.0.1:${port}`;
      const liveKey = process.env['LIVE_KEY']!;
      const { key: testKey } = await callGateway<{ key: string }>(origin, liveKey, 'POST', '/admin/api-keys', TEST_KEY);
      whatsapp.subscribe(`${origin}/callbacks/whatsapp`);
      attackers = new FileAttackers(whatsapp, { origin, files, liveKey, testKey });
      attackers.begin();
    },
    end: () => attackers!.end(),
  });
}

void main();
