import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { request } from 'undici';
import { TelegramFake } from '../../fakes/telegram.fake';
import type { Bench } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { HonestClients } from '../hostile/honest-clients';
import { BOT_TOKEN, CALLBACK_PATH, WEBHOOK_SECRET } from '../inbound/conversation';
import { residentMemory } from '../processes';
import type { Stage } from '../stage';
import { median, percentile } from '../statistics';
import { upload } from './uploads';

const TEST_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const LIVE_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const MB = 1_000_000;
const FILES = 50;
const FILE_BYTES = 20 * MB;
const UPLOAD_BYTES = 25 * MB;
const UPLOADS = 12;
const MESSAGES = 300;
const BASELINE_SECONDS = 15;
const WARM_UP_SECONDS = 5;
const SAMPLE_MS = 50;
const PACE_MS = 20;

/** Inbound files: memory and other clients during many uploads, latency of a message with a file, speed of one upload. */
export const MEDIA: Bench = {
  description:
    '50 uploads of 20 MB, four at a time; messages with a photo beside those without; uploads of 25 MB beside a bare Fastify',
  async run(stage) {
    console.log(`load of the machine before: ${loadavg()[0]!.toFixed(1)}`);
    await manyAtOnce(stage);
    await messages(stage);
    await singleUploads(stage);
    console.log(`load of the machine after: ${loadavg()[0]!.toFixed(1)}`);
  },
};

async function manyAtOnce(stage: Stage): Promise<void> {
  const databaseUrl = await stage.database('media_many');
  const gateway = await startGatewayServer(stage, 'media-many', databaseUrl, { BOOTSTRAP_API_KEY: TEST_KEY });
  const honest = new HonestClients(gateway.origin, TEST_KEY);
  await upload(gateway.origin, TEST_KEY, FILE_BYTES);
  await honest.ask(WARM_UP_SECONDS);
  const alone = percentile(await honest.ask(BASELINE_SECONDS), 0.99);
  const before = residentMemory(gateway.pid);
  let most = before;
  const samples = setInterval(() => (most = Math.max(most, residentMemory(gateway.pid))), SAMPLE_MS);
  const among: number[] = [];
  const uploaded = new AbortController();
  const asking = (async () => {
    while (!uploaded.signal.aborted) among.push(...(await honest.ask(1)));
  })();
  const startedAt = performance.now();
  const workerData = { origin: gateway.origin, key: TEST_KEY, files: FILES, bytes: FILE_BYTES };
  const [times] = (await once(new Worker(join(__dirname, 'uploaders.js'), { workerData }), 'message')) as [number[]];
  const seconds = (performance.now() - startedAt) / 1_000;
  uploaded.abort();
  await asking;
  clearInterval(samples);
  await honest.close();
  const p99 = percentile(among, 0.99);
  console.log(`\n${times.length} files of 20 MB, four at a time, in ${seconds.toFixed(1)} s`);
  printVerdict('more memory', most - before, { limit: 100, unit: 'MB' });
  console.log(
    `  p99 of honest clients: ${alone.toFixed(1)} ms alone, ${p99.toFixed(1)} ms beside (${among.length} requests)`,
  );
  printVerdict('p99 beside, over p99 alone', p99 / alone, { limit: 2, unit: '×' });
  if (honest.failures.size > 0) throw new Error(`Honest clients were refused: ${[...honest.failures].join()}`);
  await gateway.stop();
}

/** Measures from Telegram's callback until the gateway acknowledges it, with the message stored. */
async function messages(stage: Stage): Promise<void> {
  const telegram = await new TelegramFake({ token: BOT_TOKEN }).start();
  try {
    const databaseUrl = await stage.database('media_messages');
    const gateway = await startGatewayServer(stage, 'media-messages', databaseUrl, {
      BOOTSTRAP_API_KEY: LIVE_KEY,
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      TELEGRAM_API_ROOT: telegram.url,
      TELEGRAM_WEBHOOK_URL: `https://127.0.0.1:9${CALLBACK_PATH}`,
      TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
    });
    const times: Record<'text' | 'photo', number[]> = { text: [], photo: [] };
    for (let index = 0; index < 2 * MESSAGES; index++) {
      const kind = index % 2 === 0 ? 'text' : 'photo';
      const file_id = telegram.addFile(`a photo, number ${index}`);
      const photo = [{ file_id, file_unique_id: `${index}`, width: 1, height: 1, file_size: 20 }];
      const took = await post(gateway, index + 1, kind === 'text' ? { text: 'look' } : { photo, caption: 'look' });
      if (index >= MESSAGES / 5) times[kind].push(took);
      // Lets the download of the last photo end.
      await sleep(PACE_MS);
    }
    const [text, photo] = [median(times.text), median(times.photo)];
    console.log(`\na message is stored after ${text.toFixed(2)} ms (p50), with a file after ${photo.toFixed(2)} ms`);
    printVerdict('later with a file', photo - text, { limit: 2, unit: 'ms' });
    const stored = `SELECT count(*) = $1 AS done FROM attachments WHERE status = 'stored'`;
    await untilTrue(databaseUrl, stored, [MESSAGES]);
    await gateway.stop();
  } finally {
    await telegram.stop();
  }
}

async function post({ origin }: ChildServer, update_id: number, content: object): Promise<number> {
  const chat = { id: 77, type: 'private' };
  const from = { id: 77, is_bot: false, first_name: 'Ada' };
  const message = { message_id: update_id, from, chat, date: Math.floor(Date.now() / 1_000), ...content };
  const startedAt = performance.now();
  const { statusCode, body } = await request(`${origin}${CALLBACK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': WEBHOOK_SECRET },
    body: JSON.stringify({ update_id, message }),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`An update was answered by ${statusCode}`);
  return performance.now() - startedAt;
}

async function singleUploads(stage: Stage): Promise<void> {
  const databaseUrl = await stage.database('media_uploads');
  const gateway = await startGatewayServer(stage, 'media-uploads', databaseUrl, { BOOTSTRAP_API_KEY: TEST_KEY });
  const bare = await stage.server('media-bare', join(__dirname, 'bare-server.js'), {
    FILES: join(stage.directory, 'bare-files'),
  });
  const times: { gateway: number[]; bare: number[] } = { gateway: [], bare: [] };
  for (let index = 0; index < UPLOADS; index++) {
    for (const [name, { origin }] of Object.entries({ gateway, bare })) {
      const took = await upload(origin, TEST_KEY, UPLOAD_BYTES);
      // The first two of each run code that V8 has not compiled yet.
      if (index > 1) times[name as 'gateway' | 'bare'].push(took);
    }
  }
  const [ours, theirs] = [median(times.gateway), median(times.bare)];
  console.log(`\nan upload of 25 MB: ${ours.toFixed(0)} ms, at a bare Fastify ${theirs.toFixed(0)} ms (p50)`);
  printVerdict('pace, over that of a bare Fastify', theirs / ours, { limit: 0.7, unit: '×', least: true });
}
