import { Clock } from '../../../src/core/clock/clock.service';
import { SettingsService } from '../../../src/core/settings/settings.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { textOf } from '../../fakes/anthropic-types';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { png } from '../../support/png';

/** A dollar for a million tokens: what a call may cost tells its tokens. */
const PRICES = { 'claude-sonnet-5-5': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
const usd = (tokens: number) => tokens / 1_000_000;

/** A PDF of this length. Its pages do not say that they are pages: a name may hold a number in place of a character. */
const pdf = (length: number, pages = 1) =>
  Buffer.from(`%PDF-1.4\n${'<< /Type /P#61ge >>\n'.repeat(pages)}`.padEnd(length, ' '));

const anthropic = new AnthropicFake();
const telegram = new TelegramFake();
const gateway = useGateway({ telegram, anthropic });
let chats = 300;

beforeAll(async () => {
  await settings({ prices: PRICES, auto_reply: false });
});

const settings = async (ai: object) => expect((await gateway.api('PATCH', '/admin/settings', { ai })).status).toBe(200);

interface Known {
  id: string;
  conversation_id: string;
}

/** A person sends a file in a chat. @returns its message, when the file is stored */
async function receive(bytes: Buffer, caption: string, chat = (chats += 1)): Promise<Known> {
  const file_id = telegram.addFile(bytes);
  const about = { file_id, file_unique_id: caption, file_size: bytes.length };
  const isPdf = bytes.subarray(0, 4).equals(Buffer.from('%PDF'));
  const file = isPdf
    ? { document: { ...about, file_name: `${caption}.pdf` } }
    : { photo: [{ ...about, width: 1, height: 1 }] };
  telegram.receiveContent(chat, { ...file, caption });
  return eventually(`the file of "${caption}" is stored`, async () => {
    const [found] = await gateway.sql<{ id: string }>(
      `SELECT m.id FROM messages m JOIN attachments a ON a.message_id = m.id WHERE m.content LIKE $1 AND a.status = 'stored'`,
      [`%${caption}`],
    );
    expect(found).toBeDefined();
    const { body } = await gateway.api<(Known & { content: string })[]>('GET', '/messages?per_page=100');
    return body.data.find(({ content }) => content.endsWith(caption))!;
  });
}

const preview = ({ conversation_id }: Known, ai: object = { temperature: 1 }) =>
  gateway.api<object>('POST', '/ai/preview', { conversation_id, settings: ai });

/** The request that the provider gets: the types of the blocks, the titles of documents, and the text. */
async function shown(message: Known, ai?: object) {
  expect((await preview(message, ai)).status).toBe(200);
  const { content } = anthropic.requestsOf('messages').at(-1)!.body.messages.at(-1)!;
  const blocks = typeof content === 'string' ? [] : content;
  const files = blocks.filter(({ type }) => type !== 'text').map(({ type, title }) => title ?? type);
  return { files, text: textOf(content) };
}

describe('ai.media', () => {
  it('with documents: 0 gives the model only the names of PDFs', async () => {
    await settings({ media: { documents: 0 } });
    const { files, text } = await shown(await receive(pdf(100), 'an offer'));
    expect(files).toEqual([]);
    expect(text).toContain('[a file that you cannot read: an offer.pdf (application/pdf)]');
    await settings({ media: { documents: 2 } });
  });

  it('accepts stored pdf_pages of an earlier version, and refuses the name in requests', async () => {
    await gateway.sql(
      `UPDATE settings SET document = jsonb_set(document, '{ai,media}', '{"images": 7, "pdf_pages": 0}')`,
    );
    await gateway.app.get(SettingsService).reload();
    const { body } = await gateway.api<{ ai: object }>('GET', '/admin/settings');
    expect(body.data.ai).toMatchObject({ media: { images: 7, documents: 0 } });
    const { body: refused } = await gateway.api('PATCH', '/admin/settings', { ai: { media: { pdf_pages: 3 } } });
    expect(JSON.stringify(refused.error)).toContain('ai.media.pdf_pages');
    await settings({ media: { images: 10, documents: 2 } });
  });

  it('counts PDFs and images of the whole context, newest first', async () => {
    const chat = (chats += 1);
    await receive(pdf(101), 'older', chat);
    await receive(png(), 'an older photo', chat);
    await receive(pdf(102), 'newer', chat);
    const last = await receive(png(), 'a newer photo', chat);
    const all = await shown(last, { media: { images: 2, documents: 2 } });
    expect(all.files).toEqual(['older.pdf', 'image', 'newer.pdf', 'image']);
    const some = await shown(last, { media: { images: 1, documents: 1 } });
    expect(some.files).toEqual(['newer.pdf', 'image']);
    expect(some.text.match(/a file that you cannot read: [^\]]+/g)).toEqual([
      'a file that you cannot read: older.pdf (application/pdf)',
      'a file that you cannot read: image (image/png)',
    ]);
  });
});

describe('The budget', () => {
  const needed = async (message: Known) => {
    const { body } = await preview(message);
    expect(body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { scope: 'budget' } });
    return body.error.details!['needed_usd'] as number;
  };

  it('reserves the tokens of images before the call', async () => {
    const [small, large, vast] = [
      await receive(png(750, 500), 'small'),
      await receive(png(1_500, 1_000), 'large'),
      await receive(png(8_000, 8_000), 'vast!'),
    ];
    const before = anthropic.requestsOf('messages').length;
    await settings({ budget: { daily_usd: usd(1) } });
    // Everything else is equal, as the captions are as long.
    expect((await needed(large)) - (await needed(small))).toBeCloseTo(usd(2_000 - 500), 9);
    expect((await needed(vast)) - (await needed(small))).toBeCloseTo(usd(5_000 - 500), 9);
    expect(anthropic.requestsOf('messages')).toHaveLength(before);
    await settings({ budget: { daily_usd: null } });
  });

  /** Leaves this many tokens of today's budget. */
  const leave = async (tokens: number) => {
    const { body } = await gateway.api<{ budget: { spent_today_usd: number } }>('GET', '/ai/status');
    await settings({ budget: { daily_usd: body.data.budget.spent_today_usd + usd(tokens) } });
  };
  const unnamed = (name: string) => `[a file that you cannot read: ${name} (application/pdf)]`;

  it('reserves a PDF by its bytes, at most 100 pages of 5,000 tokens, and leaves it out if the call fits only without it', async () => {
    const [small, large] = [await receive(pdf(20_000), 'small pdf'), await receive(pdf(2_000_000), 'large pdf')];
    const told = () => gateway.sql(`SELECT id FROM ai_budget_notices WHERE percent = 100 ORDER BY id`);
    const before = await told();
    await leave(24_000);
    expect((await shown(small)).files).toEqual(['small pdf.pdf']);
    await leave(19_000);
    const left = await shown(small);
    expect(left.files).toEqual([]);
    expect(left.text).toContain(unnamed('small pdf.pdf'));
    await leave(499_000);
    expect((await shown(large)).files).toEqual([]);
    await leave(504_000);
    expect((await shown(large)).files).toEqual(['large pdf.pdf']);
    expect(await told()).toEqual(before);
    await settings({ budget: { daily_usd: null } });
  });

  it('is not exceeded by PDFs that hide their page count', async () => {
    const messages: Known[] = [];
    for (let index = 0; index < 8; index += 1)
      messages.push(await receive(pdf(150_000 + index, 60), `hidden ${index}`));
    const daily_usd = usd(600_000);
    const { body: before } = await gateway.api<{ budget: { spent_today_usd: number } }>('GET', '/ai/status');
    await leave(600_000);
    const answers = await Promise.all(messages.map((message) => preview(message)));
    expect(answers.map(({ status }) => status)).toEqual(messages.map(() => 200));
    const { body } = await gateway.api<{ budget: { spent_today_usd: number } }>('GET', '/ai/status');
    const spent = body.data.budget.spent_today_usd - before.data.budget.spent_today_usd;
    // Each PDF costs 127,500 tokens: some are read, and the others only named.
    expect(spent).toBeGreaterThan(usd(127_500));
    expect(spent).toBeLessThanOrEqual(daily_usd);
    await settings({ budget: { daily_usd: null } });
  });

  it('is charged the full cost of a small PDF with 100 pages, and then refuses calls', async () => {
    const dense = await receive(pdf(4_000, 100), 'dense');
    const before = anthropic.requestsOf('messages').length;
    await leave(10_000);
    const { body: budget } = await gateway.api<{ budget: { spent_today_usd: number } }>('GET', '/ai/status');
    // Reserved at about 5,000 tokens, and read as 151,000.
    expect((await shown(dense)).files).toEqual(['dense.pdf']);
    const { body: after } = await gateway.api<{ status: string; budget: { spent_today_usd: number } }>(
      'GET',
      '/ai/status',
    );
    expect(after.data.budget.spent_today_usd - budget.data.budget.spent_today_usd).toBeGreaterThan(usd(150_000));
    expect(after.data.status).toBe('degraded');
    expect((await preview(dense)).body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { scope: 'budget', spent_usd: after.data.budget.spent_today_usd },
    });
    expect(anthropic.requestsOf('messages')).toHaveLength(before + 1);
    await settings({ budget: { daily_usd: null } });
  });

  it('too small for a photo makes its answer a request for a person; texts are answered', async () => {
    const { body: status } = await gateway.api<{ budget: { spent_today_usd: number } }>('GET', '/ai/status');
    const daily_usd = status.data.budget.spent_today_usd + usd(5_000);
    await settings({ auto_reply: true, max_tokens: 100, budget: { daily_usd } });
    const photo = await receive(png(2_000, 2_000), 'too dear');
    await eventually('a person is requested', async () => {
      const { body } = await gateway.api('GET', `/conversations/${photo.conversation_id}`);
      expect(body.data).toMatchObject({ handling: 'requested', handover: { reason: 'budget' } });
    });
    expect(JSON.stringify(anthropic.requests)).not.toContain('too dear');
    const sent = telegram.sent.length;
    telegram.receiveText({ chatId: (chats += 1), text: 'cheap enough' });
    await telegram.waitForSent(sent + 1);
    expect(JSON.stringify(anthropic.requests)).toContain('cheap enough');
    await settings({ auto_reply: false, budget: { daily_usd: null } });
  });
});

describe('An answer', () => {
  it('waits at most 20 seconds for a missing file, and tells the model that it is missing', async () => {
    await settings({ auto_reply: true });
    const comes = Promise.withResolvers<void>();
    telegram.holdBack(comes.promise, 'getFile');
    const chat = (chats += 1);
    const file_id = telegram.addFile(png());
    telegram.receiveContent(chat, {
      photo: [{ file_id, file_unique_id: 'late', width: 1, height: 1, file_size: 100 }],
      caption: 'a photo that is late',
    });
    const asked = () => anthropic.requests.filter(({ body }) => JSON.stringify(body).includes('a photo that is late'));
    const task = async () => {
      const [row] = await gateway.sql<{ fence: string; at: Date }>(
        `SELECT t.fence, m.created_at AS at FROM reply_tasks t JOIN conversations c ON c.id = t.conversation_id
         JOIN messages m ON m.conversation_id = c.id WHERE c.participant_id = $1`,
        [String(chat)],
      );
      return { fence: Number(row?.fence ?? 0), at: row?.at.getTime() ?? 0 };
    };
    /** The assistant has looked at the reply twice more, so once from beginning to end. */
    const looked = async () => {
      const { fence } = await task();
      await eventually('the assistant looks again', async () =>
        expect((await task()).fence).toBeGreaterThanOrEqual(fence + 2),
      );
      return task();
    };
    try {
      const { at } = await looked();
      const now = jest.spyOn(gateway.app.get(Clock), 'now').mockReturnValue(at + 20_000);
      await looked();
      expect(asked()).toEqual([]);
      now.mockReturnValue(at + 20_001);
      const [request] = await eventually('the model is asked', () => {
        expect(asked()).toHaveLength(1);
        return asked();
      });
      const { content } = request!.body.messages.at(-1)!;
      expect(textOf(content)).toContain('[a file that you cannot read: image, pending]');
    } finally {
      jest.restoreAllMocks();
      comes.resolve();
    }
    await eventually('the file is stored all the same', async () =>
      expect(await gateway.sql(`SELECT FROM attachments WHERE status <> 'stored'`)).toEqual([]),
    );
  });
});
