import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { png } from '../../support/png';
import { GatewayProcess } from '../../support/process';

const CHATS = 12;
const PICTURES = 5;
const PICTURE_BYTES = 3_700_000;
/** The heap holds the bodies of a few calls, not of all. */
const HEAP_MB = 256;
const MOST_RSS_MB = 700;
const ANSWER_MS = 500;
const LONG = { timeoutMs: 120_000, everyMs: 200 };

/** Answers each call after a while, and keeps no body: the bodies of this spec would fill the memory of the test. */
class Provider {
  readonly server: Server;
  calls = 0;
  withFiles = 0;
  /** The most bytes of bodies in calls at once. */
  most = 0;
  /** The body of the last call, if it has no files. */
  last = '';
  private held = 0;
  /** Answers wait for it. */
  gate: Promise<unknown> = Promise.resolve();

  constructor() {
    this.server = createServer((request, response) => {
      const length = Number(request.headers['content-length']);
      this.calls += 1;
      if (length > PICTURE_BYTES) this.withFiles += 1;
      this.held += length;
      this.most = Math.max(this.most, this.held);
      this.last = '';
      request.on('data', (piece: Buffer) => {
        if (length < PICTURE_BYTES) this.last += piece.toString();
      });
      request.on('end', () => {
        void Promise.all([sleep(ANSWER_MS), this.gate]).then(() => {
          this.held -= length;
          response.setHeader('content-type', 'application/json').end(
            JSON.stringify({
              type: 'message',
              role: 'assistant',
              model: 'claude-sonnet-5-5',
              content: [{ type: 'text', text: 'Nice pictures.' }],
              stop_reason: 'end_turn',
              usage: { input_tokens: 10, output_tokens: 5 },
            }),
          );
        });
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

describe(`${CHATS} conversations with ${PICTURES} pictures of 3.7 MB each, and a heap of ${HEAP_MB} MB`, () => {
  const telegram = new TelegramFake();
  const provider = new Provider();
  let gateway: GatewayProcess;
  let conversations: { id: string }[];

  const settings = async (ai: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', { ai })).status).toBe(200);
  const peakMb = async () => {
    const status = await readFile(`/proc/${gateway.child.pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024);
  };

  beforeAll(async () => {
    await telegram.start();
    const baseUrl = await provider.start();
    gateway = await GatewayProcess.start({
      telegram,
      env: {
        ANTHROPIC_API_KEY: 'sk-ant-fake',
        ANTHROPIC_BASE_URL: baseUrl,
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      },
    });
    await settings({ auto_reply: false, daily_usd_per_person: null, budget: { daily_usd: null } });
    const pictures = Array.from({ length: PICTURES }, () => telegram.addFile(png(100, 100, PICTURE_BYTES)));
    for (let chat = 1; chat <= CHATS; chat += 1)
      for (const [index, file_id] of pictures.entries())
        telegram.receiveContent(chat, {
          photo: [{ file_id, file_unique_id: `${index}`, file_size: PICTURE_BYTES, width: 100, height: 100 }],
        });
    await eventually(
      'all pictures are stored',
      async () => {
        const { body } = await gateway.api<{ attachments: { status: string }[] }[]>(
          'GET',
          '/messages?direction=inbound&per_page=100&expand=details',
        );
        const stored = body.data.flatMap(({ attachments }) => attachments).filter(({ status }) => status === 'stored');
        expect(stored).toHaveLength(CHATS * PICTURES);
      },
      LONG,
    );
    conversations = (await gateway.api<{ id: string }[]>('GET', '/conversations?per_page=100')).body.data;
  }, 180_000);
  afterAll(() => provider.server.close());

  it('are answered by the same process', async () => {
    await settings({ auto_reply: true });
    for (let chat = 1; chat <= CHATS; chat += 1) telegram.receiveText({ chatId: chat, text: 'hi' });
    await eventually('all are answered', () => expect(telegram.sent.length).toBeGreaterThanOrEqual(CHATS), LONG);
    expect(provider.withFiles).toBeGreaterThan(0);
    expect(provider.most).toBeLessThan(67_108_864 + 1_000_000);
    process.stdout.write(`  most bytes of files in calls: ${provider.most}; peak memory: ${await peakMb()} MB\n`);
    expect(await peakMb()).toBeLessThan(MOST_RSS_MB);
  }, 150_000);

  it('and 24 simultaneous previews are answered', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        gateway.api('POST', '/ai/preview', {
          conversation_id: conversations[index % CHATS]!.id,
          settings: { temperature: 1 },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    process.stdout.write(`  peak memory: ${await peakMb()} MB\n`);
    expect(provider.most).toBeLessThan(67_108_864 + 1_000_000);
    expect(await peakMb()).toBeLessThan(MOST_RSS_MB);
    expect(gateway.child.exitCode).toBeNull();
  }, 150_000);

  it('and a call that waits 20 seconds for memory are answered; the call goes without files and tells the model', async () => {
    const [calls, withFiles] = [provider.calls, provider.withFiles];
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    const preview = (conversation: { id: string }) =>
      gateway.api('POST', '/ai/preview', { conversation_id: conversation.id, settings: { temperature: 1 } });
    const answers = conversations.slice(0, 3).map(preview);
    await eventually('two calls have files', () => expect(provider.withFiles).toBe(withFiles + 2), LONG);
    expect(provider.calls).toBe(calls + 2);
    await eventually('the third is made', () => expect(provider.calls).toBe(calls + 3), LONG);
    expect(provider.withFiles).toBe(withFiles + 2);
    expect(provider.last).toContain('[a file that you cannot read: image (image/png)]');
    gate.resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  }, 150_000);
});
