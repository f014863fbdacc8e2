import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { base64Pieces } from '../../files/base64-pieces';
import type { AiFile, AiRequest } from '../ai-provider.port';
import { AnthropicProvider } from '../anthropic/anthropic.provider';

const FILES = 2;
/** Not a multiple of 3, so that the base64 is padded. */
const BYTES = 10_000_000;
/** The most milliseconds of the event loop that work on files of a stranger may take in one turn. */
const MOST_MS = 50;

/** Answers with the SHA-256 of each file, from a thread of its own: its work is not the gateway's. Redirects once. */
const SERVER = `
  const { createServer } = require('node:http');
  const { createHash } = require('node:crypto');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/messages') return response.writeHead(307, { location: '/moved' }).end();
      const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString());
      const files = messages[0].content.filter(({ source }) => source);
      const text = files.map(({ source }) => createHash('sha256').update(Buffer.from(source.data, 'base64')).digest('hex')).join(' ');
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage };
      if (!stream) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
      const events = [
        { type: 'message_start', message: { ...message, content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
        { type: 'message_stop' },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => 'event: ' + event.type + '\\ndata: ' + JSON.stringify(event) + '\\n\\n').join(''));
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** The longest turn of the event loop until `work` ends, in milliseconds of this thread's processor time: other processes do not count. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => (isOver = true));
  turn();
  return longest;
}

describe('a call with 20 MB of files', () => {
  let directory: string;
  let server: Worker;
  let provider: AnthropicProvider;
  const paths: string[] = [];
  const hashes: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ai-files-'));
    for (let index = 0; index < FILES; index += 1) {
      const bytes = randomBytes(BYTES);
      paths.push(join(directory, String(index)));
      hashes.push(createHash('sha256').update(bytes).digest('hex'));
      await writeFile(paths[index]!, bytes);
    }
    server = new Worker(SERVER, { eval: true });
    const port = await new Promise((resolve) => void server.once('message', resolve));
    provider = new AnthropicProvider({ apiKey: 'sk-ant-test', baseUrl: `http://127.0.0.1:${String(port)}` });
  });

  afterAll(async () => {
    await server.terminate();
    await rm(directory, { recursive: true });
  });

  const file = async (path: string, index: number): Promise<AiFile> => ({
    type: 'image',
    mediaType: 'image/png',
    attachmentId: `00000000-0000-7000-8000-00000000000${index}`,
    sha256: hashes[index]!,
    sizeBytes: BYTES,
    data: await base64Pieces(createReadStream(path)),
    tokens: 1,
    name: 'photo',
  });

  const request = async (): Promise<AiRequest> => ({
    model: 'claude-sonnet-5-5',
    system: '',
    messages: [{ role: 'user', content: 'Compare “these”.', files: await Promise.all(paths.map(file)) }],
    maxTokens: 100,
    temperature: 1,
  });

  it(`blocks the event loop for at most ${MOST_MS} ms at once, and sends each byte, also after a redirect`, async () => {
    let text = '';
    const longest = await longestTurn(async () => {
      ({ text } = await provider.complete(await request()));
    });
    expect(text).toBe(hashes.join(' '));
    expect(longest).toBeLessThan(MOST_MS);
  });

  it('is streamed with the same files', async () => {
    const texts: string[] = [];
    for await (const event of provider.stream(await request())) if (event.type === 'delta') texts.push(event.text);
    expect(texts.join('')).toBe(hashes.join(' '));
  });
});
