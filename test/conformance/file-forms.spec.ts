import { randomBytes } from 'node:crypto';
import type { OutboundFile, OutboundPart, PartOutcome, PlatformAdapter } from '#platforms';
import { DiscordHarness } from './discord.harness';
import { fileOf } from './file-sending.cases';
import { PLAIN } from './session';
import { TelegramHarness } from './telegram.harness';
import { WhatsAppHarness } from './whatsapp.harness';

const MIB = 1_024 * 1_024;
const MESSAGE_ID = 'msg_01h455vb4pex5vsknk084sn02q';

interface Sending {
  adapter: PlatformAdapter;
  recipient: string;
}

async function send({ adapter, recipient }: Sending, files: OutboundFile[], text = '', options = PLAIN) {
  const plan = await adapter.plan!({ recipient, text, files, options });
  if (!('parts' in plan)) throw new Error(plan.refusal);
  const outcomes: PartOutcome[] = [];
  for (const part of plan.parts) outcomes.push(await sendPart({ adapter, recipient }, part, options));
  return outcomes;
}

const sendPart = ({ adapter, recipient }: Sending, part: OutboundPart, options = PLAIN) =>
  adapter.sendPart(
    { messageId: MESSAGE_ID, environment: 'live', recipient, options },
    part,
    new AbortController().signal,
  );

describe('files on Telegram', () => {
  let telegram: TelegramHarness;
  beforeEach(async () => (telegram = await TelegramHarness.start()));
  afterEach(() => telegram.stop());

  const kinds = () => telegram.fake.sent.map(({ file }) => file?.kind);

  it.each<[Partial<OutboundFile>, string]>([
    [{ kind: 'image', mimeType: 'image/jpeg' }, 'photo'],
    [{ kind: 'image', mimeType: 'image/gif' }, 'animation'],
    [{ kind: 'image', mimeType: 'image/tiff' }, 'document'],
    [{ kind: 'video', mimeType: 'video/mp4' }, 'video'],
    [{ kind: 'video', mimeType: 'video/webm' }, 'document'],
    [{ kind: 'audio', mimeType: 'audio/mpeg' }, 'audio'],
    [{ kind: 'audio', mimeType: 'audio/flac' }, 'document'],
    [{ kind: 'voice', mimeType: 'audio/ogg' }, 'voice'],
    [{ kind: 'audio', mimeType: 'audio/ogg' }, 'voice'],
    [{ kind: 'sticker', mimeType: 'image/webp' }, 'sticker'],
    [{ kind: 'document', mimeType: 'image/png' }, 'document'],
  ])('with %j are sent as a %s', async (about, kind) => {
    await send(telegram, [fileOf(about)]);
    expect(kinds()).toEqual([kind]);
  });

  it('in an album are one call with one caption, as a reply, known by the first item', async () => {
    const options = { ...PLAIN, parseMode: 'markdown', disableNotification: true, replyTo: '77:1' } as const;
    const outcomes = await send(
      telegram,
      [fileOf({ filename: 'a.png' }), fileOf({ filename: 'b.png' })],
      '**hi**',
      options,
    );
    expect(outcomes).toMatchObject([{ accepted: true, platformMessageId: '77:1' }]);
    expect(telegram.fake.requestsOf('sendMediaGroup')).toHaveLength(1);
    expect(telegram.sent()).toMatchObject([
      { text: 'hi', formatted: true, silent: true, repliesTo: '77:1', files: [{ filename: 'a.png' }] },
      { text: '', files: [{ filename: 'b.png' }] },
    ]);
    expect(new Set(telegram.fake.sent.map(({ media_group_id }) => media_group_id)).size).toBe(1);
  });

  it('are photos again if Telegram cannot show them as documents', async () => {
    const body = { ok: false, error_code: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' };
    telegram.fake.fail({ method: 'sendPhoto', status: 400, body });
    await send(telegram, [fileOf()], 'hi');
    expect(kinds()).toEqual(['document']);
    expect(telegram.sent()[0]?.text).toBe('hi');
  });

  it('keep a caption without markup if Telegram rejects it', async () => {
    const body = { ok: false, error_code: 400, description: "Bad Request: can't parse entities" };
    telegram.fake.fail({ method: 'sendPhoto', status: 400, body });
    await send(telegram, [fileOf()], '**hi**', { ...PLAIN, parseMode: 'markdown' });
    expect(telegram.sent()).toMatchObject([{ text: '**hi**', formatted: false, files: [{ filename: 'a.png' }] }]);
  });

  it('are not sent again if Telegram may have them', async () => {
    telegram.fake.fail({ method: 'sendPhoto', kind: 'drop_after' });
    expect(await send(telegram, [fileOf()])).toMatchObject([{ failure: { code: 'ambiguous' } }]);
    expect(kinds()).toEqual(['photo']);
  });

  it('of a local server cannot be downloaded, which the error says', async () => {
    const result = { file_id: 'x', file_unique_id: 'x', file_path: '/var/lib/telegram-bot-api/x.jpg' };
    telegram.fake.fail({ method: 'getFile', status: 200, body: { ok: true, result } });
    const { signal } = new AbortController();
    const message = expect.stringContaining('--local') as string;
    expect(await telegram.adapter.download('x', signal)).toEqual({ started: false, failure: 'expired', message });
  });

  it('that are too large to download say so', async () => {
    const ref = telegram.fake.addFile(Buffer.alloc(20 * MIB + 1));
    const { signal } = new AbortController();
    expect(await telegram.adapter.download(ref, signal)).toMatchObject({ started: false, failure: 'too_large' });
  });
});

describe('files on Discord', () => {
  let discord: DiscordHarness;
  beforeEach(async () => (discord = await DiscordHarness.start()));
  afterEach(() => discord.stop());

  it('may be larger in a boosted guild', async () => {
    const large = fileOf({ sizeBytes: 11 * MIB }, randomBytes(11 * MIB));
    await expect(send(discord, [large])).rejects.toThrow(/up to 10 MiB/);
    discord.fake.premiumTier = 2;
    expect(await send(discord, [large])).toMatchObject([{ accepted: true }]);
    await expect(send({ adapter: discord.adapter, recipient: '55' }, [large])).rejects.toThrow(/up to 10 MiB/);
    discord.fake.fail({ method: discord.recipient, status: 503 });
    await expect(send(discord, [large])).rejects.toThrow(/up to 10 MiB/);
  });

  it('are sent once, even if the first response is lost', async () => {
    discord.fake.fail({ method: 'messages', kind: 'drop_after' });
    expect(await send(discord, [fileOf()], 'hi')).toMatchObject([{ accepted: true }]);
    expect(discord.sent()).toMatchObject([{ text: 'hi', files: [{ filename: 'a.png' }] }]);
    expect(discord.fake.requestsOf('messages').every(({ files }) => files.length === 1)).toBe(true);
  });
});

describe('files on WhatsApp', () => {
  let whatsapp: WhatsAppHarness;
  beforeEach(async () => (whatsapp = await WhatsAppHarness.start()));
  afterEach(() => whatsapp.stop());

  it.each<[Partial<OutboundFile>, object]>([
    [{ kind: 'image', mimeType: 'image/png' }, { kind: 'image' }],
    [{ kind: 'image', mimeType: 'image/webp' }, { kind: 'document' }],
    [{ kind: 'video', mimeType: 'video/mp4' }, { kind: 'video' }],
    [
      { kind: 'audio', mimeType: 'audio/mpeg' },
      { kind: 'audio', voice: false },
    ],
    [
      { kind: 'voice', mimeType: 'audio/ogg' },
      { kind: 'audio', voice: true },
    ],
    [{ kind: 'sticker', mimeType: 'image/webp' }, { kind: 'sticker' }],
    [
      { kind: 'document', mimeType: 'text/csv', filename: 'a.csv' },
      { kind: 'document', type: 'text/plain', filename: 'a.csv' },
    ],
  ])('with %j are sent as %j', async (about, sent) => {
    await send(whatsapp, [fileOf(about)]);
    expect(whatsapp.fake.sent.map(({ file }) => file)).toEqual([expect.objectContaining(sent)]);
  });

  it('are not uploaded again for a repeated message', async () => {
    whatsapp.fake.fail({ method: 'messages', status: 429 });
    const part = { index: 0, text: 'hi', files: [fileOf()] };
    expect(await sendPart(whatsapp, part)).toMatchObject({ accepted: false, failure: { code: 'rate_limited' } });
    expect(await sendPart(whatsapp, part)).toMatchObject({ accepted: true });
    expect(whatsapp.fake.requestsOf('media')).toHaveLength(1);
  });

  it('are not sent if the response to an upload is lost', async () => {
    whatsapp.fake.fail({ method: 'media', kind: 'drop_after' });
    const part = { index: 0, text: 'hi', files: [fileOf()] };
    expect(await sendPart(whatsapp, part)).toMatchObject({ failure: { code: 'platform_unavailable' } });
    expect(whatsapp.fake.sent).toEqual([]);
  });
});
