import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AiStatusDto } from '../../../src/ai/dto/ai.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { textOf } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { OGG_OPUS } from '../../support/ogg-opus';
import { upload } from '../../support/media';
import { png } from '../../support/png';

const PERSON = 300;
const MESSAGES = 40;
const MINUTE_USD = 0.006;
/** Shorter than an answer waits for files, which is 20 seconds. */
const MOST_WAIT_MS = 12_000;

describe('Transcripts of voice messages', () => {
  let anthropic: AnthropicFake;
  let telegram: TelegramFake;
  let transcriber: Server;
  let gateway: TestGateway;
  let answer: object = { text: 'Call me back.' };
  let held: PromiseWithResolvers<void> | undefined;
  let [open, most, asked] = [0, 0, 0];

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    telegram = await new TelegramFake().start();
    transcriber = createServer((request, response) => {
      asked += 1;
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => (open -= 1));
      const finish = () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      request.resume().on('end', () => void (held?.promise ?? Promise.resolve()).then(finish));
    });
    await new Promise<void>((resolve) => transcriber.listen(0, '127.0.0.1', resolve));
    const { port } = transcriber.address() as AddressInfo;
    gateway = await startTestGateway({ telegram, anthropic, env: { TRANSCRIBE_URL: `http://127.0.0.1:${port}/x` } });
    await settings({ auto_reply: false });
    await gateway.connected('telegram');
  });
  afterAll(() => transcriber.close());

  const settings = async (ai: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', { ai })).status).toBe(200);
  const voice = (chatId: number, duration = 60) => {
    const file = { file_id: telegram.addFile(OGG_OPUS), file_unique_id: 'v', file_size: OGG_OPUS.length, duration };
    telegram.receiveContent(chatId, { voice: file });
  };
  const attachments = () =>
    gateway.sql<{ kind: string; status: string; transcript: string | null; next_at: Date | null }>(
      'SELECT kind, status, transcript, next_at FROM attachments',
    );
  const spent = async () => (await gateway.api<AiStatusDto>('GET', '/ai/status')).body.data;

  it('are made two at a time during other downloads, and are charged', async () => {
    held = Promise.withResolvers();
    for (let index = 0; index < MESSAGES; index += 1) voice(PERSON);
    await eventually('the voice messages are downloaded, and two transcripts are being made', async () => {
      const rows = await attachments();
      expect([rows.filter(({ status }) => status === 'stored').length, open]).toEqual([MESSAGES, 2]);
    });
    const photo = png(1, 1, 500);
    const file = {
      file_id: telegram.addFile(photo),
      file_unique_id: 'p',
      file_size: photo.length,
      width: 1,
      height: 1,
    };
    telegram.receiveContent(PERSON + 1, { photo: [file] });
    await eventually('another person’s image is downloaded meanwhile', async () =>
      expect(await attachments()).toContainEqual(expect.objectContaining({ kind: 'image', status: 'stored' })),
    );
    held.resolve();
    await eventually('all transcripts are made', async () =>
      expect((await attachments()).filter(({ transcript }) => transcript === 'Call me back.')).toHaveLength(MESSAGES),
    );
    expect([most, asked]).toEqual([2, MESSAGES]);
    const { budget, usage } = await spent();
    expect(budget.spent_today_usd).toBeCloseTo(MESSAGES * MINUTE_USD, 6);
    expect(usage.today).toMatchObject({ requests: MESSAGES, cost_usd: expect.closeTo(MESSAGES * MINUTE_USD, 6) });
  });

  it("are not made above the person's daily budget: the model gets the file name", async () => {
    await settings({ daily_usd_per_person: (MESSAGES + 1) * MINUTE_USD });
    for (let index = 0; index < 3; index += 1) voice(PERSON);
    await eventually('no transcript is due', async () => {
      const rows = await attachments();
      expect(rows).toHaveLength(MESSAGES + 4);
      expect(rows.filter(({ next_at }) => next_at !== null)).toEqual([]);
    });
    expect(asked).toBe(MESSAGES + 1);
    // The share of another person is not touched.
    voice(PERSON + 2);
    await eventually('the transcript of another person is made', () => expect(asked).toBe(MESSAGES + 2));

    const { body } = await gateway.api<{ id: string }[]>('GET', `/conversations?q=${PERSON}`);
    const preview = { conversation_id: body.data[0]!.id, settings: { temperature: 1 } };
    expect((await gateway.api('POST', '/ai/preview', preview)).status).toBe(200);
    const text = textOf(anthropic.requestsOf('messages').at(-1)!.body.messages.at(-1)!.content);
    expect(text).toContain('[a file that you cannot read: voice (audio/ogg)]');
  });

  it('are not made above the budget of the environment', async () => {
    const { spent_today_usd } = (await spent()).budget;
    await settings({ daily_usd_per_person: null, budget: { daily_usd: spent_today_usd + MINUTE_USD / 2 } });
    const before = asked;
    voice(PERSON + 3);
    await eventually('no transcript is due', async () => {
      const rows = await attachments();
      expect(rows).toHaveLength(MESSAGES + 6);
      expect(rows.filter(({ next_at }) => next_at !== null)).toEqual([]);
    });
    expect(asked).toBe(before);
    await settings({ budget: { daily_usd: 50 } });
  });

  it('are made of a sound file that was sent as a document', async () => {
    const file = { file_id: telegram.addFile(OGG_OPUS), file_unique_id: 'd', file_size: OGG_OPUS.length };
    telegram.receiveContent(PERSON + 5, {
      document: { ...file, file_name: 'notes.pdf', mime_type: 'application/pdf' },
    });
    await eventually('the file has a transcript', async () =>
      expect(
        await gateway.sql(`SELECT kind, mime_type, transcript FROM attachments WHERE filename = 'notes.pdf'`),
      ).toEqual([{ kind: 'audio', mime_type: 'audio/ogg', transcript: 'Call me back.' }]),
    );
  });

  it('cost what the service reports, at ai.transcript_usd_per_minute', async () => {
    await settings({ transcript_usd_per_minute: 0.6 });
    const before = (await spent()).budget.spent_today_usd;
    answer = { text: 'Hello', usage: { type: 'duration', seconds: 90 } };
    voice(PERSON + 4, 30);
    await eventually('it is charged', async () =>
      expect((await spent()).budget.spent_today_usd - before).toBeCloseTo(0.9, 6),
    );
  });

  it('are not awaited by an answer once the service has made none', async () => {
    await settings({ auto_reply: true });
    answer = {};
    const before = asked;
    voice(PERSON + 6);
    await telegram.waitForSent(1, MOST_WAIT_MS);
    expect(asked).toBe(before + 1);
    const text = textOf(anthropic.requestsOf('messages').at(-1)!.body.messages.at(-1)!.content);
    expect(text).toContain('[a file that you cannot read: voice (audio/ogg)]');
  });

  it('are not awaited by an answer to a sound file of a sandbox message, which gets none', async () => {
    const key = gateway.testKey;
    const { id } = (await upload(gateway, OGG_OPUS, { filename: 'a.ogg', key })).body.data;
    const inbound = { platform: 'telegram', sender: { id: '5' }, attachments: [{ id }] };
    expect((await gateway.api('POST', '/sandbox/inbound', inbound, { key })).status).toBe(200);
    await eventually(
      'the answer is sent',
      async () => {
        const { body } = await gateway.api<object[]>('GET', '/messages?direction=outbound', undefined, { key });
        expect(body.data).toHaveLength(1);
      },
      { timeoutMs: MOST_WAIT_MS },
    );
  });
});
