import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Telegraf, TelegramError } from 'telegraf';
import { TelegramFake } from './telegram.fake';
import type { TelegramUpdate } from './telegram-types';

describe(TelegramFake.name, () => {
  let fake: TelegramFake;
  let bot: Telegraf;

  beforeEach(async () => {
    fake = await new TelegramFake().start();
    bot = new Telegraf(fake.token, { telegram: { apiRoot: fake.url } });
  });

  afterEach(() => fake.stop());

  const getUpdates = (offset: number, timeout = 0, limit = 100) =>
    bot.telegram.callApi('getUpdates', { offset, timeout, limit }) as unknown as Promise<TelegramUpdate[]>;
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => Promise.reject(new Error('it was accepted')),
      (error: unknown) => error as TelegramError,
    );

  it('answers getMe with the bot, also by GET', async () => {
    expect(await bot.telegram.getMe()).toMatchObject({ id: 4242, is_bot: true, username: 'gateway_bot' });
    const answer = await fetch(`${fake.url}/bot${fake.token}/getMe`);
    expect(await answer.json()).toMatchObject({ ok: true, result: { id: 4242 } });
  });

  it('rejects a wrong or a revoked token with 401', async () => {
    const stranger = new Telegraf('1:wrong', { telegram: { apiRoot: fake.url } });
    const error = await refusal(stranger.telegram.getMe());
    expect(error.response).toEqual({ ok: false, error_code: 401, description: 'Unauthorized' });
    fake.token = '4242:another';
    expect((await refusal(bot.telegram.getMe())).code).toBe(401);
  });

  it('rejects other methods and paths', async () => {
    expect((await refusal(bot.telegram.getChat(1))).response).toMatchObject({ error_code: 404 });
    expect((await fetch(`${fake.url}/elsewhere`)).status).toBe(404);
  });

  describe('getUpdates', () => {
    it('returns updates again until a higher offset confirms them', async () => {
      const [first, second] = ['one', 'two'].map((text) => fake.receiveText({ chatId: 7, text }));
      expect(await getUpdates(0)).toEqual([first, second]);
      expect(await getUpdates(0, 0, 1)).toEqual([first]);
      expect(await getUpdates(first!.update_id + 1)).toEqual([second]);
      expect(fake.pendingUpdates).toEqual([second]);
      expect(await getUpdates(second!.update_id + 1)).toEqual([]);
      expect(fake.pendingUpdates).toEqual([]);
    });

    it('keeps only the last updates for a negative offset', async () => {
      for (const text of ['one', 'two', 'three']) fake.receiveText({ chatId: 7, text });
      expect((await getUpdates(-1)).map(({ message }) => message?.text)).toEqual(['three']);
      expect(fake.pendingUpdates).toHaveLength(1);
    });

    it('answers a waiting poll at once with all updates that arrive together', async () => {
      const poll = getUpdates(0, 50);
      await fake.waitForPoll();
      for (const text of ['one', 'two']) fake.receiveText({ chatId: 7, text });
      expect((await poll).map(({ message }) => message?.text)).toEqual(['one', 'two']);
    });

    it('answers with no update when the timeout passes', async () => {
      expect(await getUpdates(0, 1)).toEqual([]);
      expect(fake.polls).toBe(1);
    });

    it('rejects the older of two polls with 409', async () => {
      const older = refusal(getUpdates(0, 50));
      await fake.waitForPoll();
      const newer = getUpdates(0, 50);
      expect(await older).toMatchObject({
        code: 409,
        description:
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      });
      const update = fake.receiveText({ chatId: 7, text: 'for the newer' });
      expect(await newer).toEqual([update]);
    });

    it('sends only the requested kinds', async () => {
      await bot.telegram.callApi('getUpdates', { offset: 0, timeout: 0, limit: 1, allowed_updates: ['message'] });
      fake.receive({ my_chat_member: { chat: { id: 7 } } });
      fake.receiveText({ chatId: 7, text: 'hello' });
      expect(await getUpdates(0)).toMatchObject([{ message: { text: 'hello' } }]);
    });

    it('sends quotations, edits, topics and rich messages as Telegram does', async () => {
      const sent = await bot.telegram.sendMessage(7, 'Open until nine.');
      const { message } = fake.receiveText({ chatId: 7, text: 'still?', replyTo: sent.message_id, quote: 'nine' });
      fake.edit(message!, { text: 'really?' });
      fake.receiveText({ chatId: 7, text: 'why', replyTo: message! });
      fake.receiveText({ chatId: -9, chatType: 'supergroup', text: 'in a topic', topic: 44 });
      fake.receiveRich(7, [{ type: 'paragraph', text: 'rich' }]);
      const inTopic = { message_thread_id: 44, is_topic_message: true };
      expect(await getUpdates(0)).toMatchObject([
        {
          message: {
            reply_to_message: { message_id: sent.message_id, text: 'Open until nine.', from: { id: fake.bot.id } },
            quote: { text: 'nine', position: 11 },
          },
        },
        {
          edited_message: { message_id: message!.message_id, text: 'really?', edit_date: expect.any(Number) as number },
        },
        { message: { reply_to_message: { text: 'still?' } } },
        {
          message: {
            ...inTopic,
            chat: { is_forum: true },
            reply_to_message: { message_id: 44, forum_topic_created: { name: 'Topic 44' } },
          },
        },
        { message: { rich_message: { blocks: [{ text: 'rich' }] } } },
      ]);
      await bot.telegram.sendMessage(-9, 'in it', { message_thread_id: 44 });
      expect(fake.sent.at(-1)?.params).toMatchObject({ message_thread_id: 44 });
    });

    it('keeps thousands of updates and returns them in order', async () => {
      for (let n = 0; n < 5000; n++) fake.receiveText({ chatId: n % 100, text: `${n}` });
      const seen: string[] = [];
      for (let offset = 0; fake.pendingUpdates.length > 0;) {
        const updates = await getUpdates(offset);
        seen.push(...updates.map(({ message }) => message!.text!));
        offset = (updates.at(-1)?.update_id ?? offset) + 1;
      }
      expect(seen).toEqual(Array.from({ length: 5000 }, (_, n) => `${n}`));
    });
  });

  it("works with Telegraf's own polling and replies", async () => {
    bot.on('text', (ctx) => ctx.reply(`You said: ${ctx.message.text}`));
    const launched = bot.launch();
    fake.receiveText({ chatId: 7, text: 'hello', from: { id: 7, first_name: 'Ann', username: 'ann' } });
    expect(await fake.waitForSent(1)).toMatchObject([{ chat_id: 7, text: 'You said: hello' }]);
    bot.stop();
    await launched;
    expect(fake.pendingUpdates).toEqual([]);
  });

  describe('sendMessage', () => {
    it('numbers messages per chat, inbound ones included', async () => {
      const { message } = fake.receiveText({ chatId: 7, text: 'hello' });
      const answer = await bot.telegram.sendMessage(7, 'hi');
      expect([message?.message_id, answer.message_id]).toEqual([1, 2]);
      expect((await bot.telegram.sendMessage('8', 'hi')).message_id).toBe(1);
      expect(fake.sent).toMatchObject([
        { message_id: 2, chat_id: 7, text: 'hi', params: { chat_id: 7, text: 'hi' } },
        { message_id: 1, chat_id: 8 },
      ]);
    });

    it('accepts form fields as well as JSON', async () => {
      const body = new URLSearchParams({ chat_id: '7', text: 'hi', reply_parameters: '{"message_id":9}' });
      const answer = await fetch(`${fake.url}/bot${fake.token}/sendmessage`, { method: 'POST', body });
      expect(await answer.json()).toMatchObject({ description: 'Bad Request: message to be replied not found' });
    });

    it('shows HTML as the recipient sees it', async () => {
      const html =
        '<b>Bold &amp; <i>both</i></b> <a href="https://example.org">link</a> &nbsp;<pre><code class="language-ts">1 &lt; 2</code></pre>';
      const message = await bot.telegram.sendMessage(7, html, { parse_mode: 'HTML' });
      expect(message.text).toBe('Bold & both link &nbsp;1 < 2');
      expect(message.entities).toEqual([
        { type: 'bold', offset: 0, length: 11 },
        { type: 'italic', offset: 7, length: 4 },
        { type: 'text_link', offset: 12, length: 4, url: 'https://example.org' },
        { type: 'pre', offset: 23, length: 5, language: 'ts' },
      ]);
    });

    it.each([
      ['<p>hello</p>', 'Unsupported start tag "p" at byte offset 0'],
      ['é<b>hello', `Can't find end tag corresponding to start tag "b"`],
      ['é<b>hello</i>', 'Unmatched end tag at byte offset 10, expected "</b>", found "</i>"'],
      ['hello</b>', 'Unexpected end tag at byte offset 5'],
      ['1 < 2', 'Unclosed start tag at byte offset 2'],
    ])('rejects %s', async (text, reason) => {
      const error = await refusal(bot.telegram.sendMessage(7, text, { parse_mode: 'HTML' }));
      expect(error.response).toMatchObject({
        error_code: 400,
        description: `Bad Request: can't parse entities: ${reason}`,
      });
      expect(fake.sent).toEqual([]);
    });

    it('counts 1 to 4096 characters after parsing', async () => {
      const longest = `<b>${'&lt;'.repeat(4096)}</b>`;
      await bot.telegram.sendMessage(7, longest, { parse_mode: 'HTML' });
      const long = await refusal(bot.telegram.sendMessage(7, 'x'.repeat(4097)));
      expect(long.description).toBe('Bad Request: message is too long');
      const empty = await refusal(bot.telegram.sendMessage(7, '<b> </b>', { parse_mode: 'HTML' }));
      expect(empty.description).toBe('Bad Request: message text is empty');
    });

    it('replies only to messages that exist, unless told to ignore it', async () => {
      const { message } = fake.receiveText({ chatId: 7, text: 'hello' });
      const known = await bot.telegram.sendMessage(7, 'hi', { reply_parameters: { message_id: message!.message_id } });
      expect(known.reply_to_message?.message_id).toBe(1);
      const unknown = { message_id: 99 };
      const error = await refusal(bot.telegram.sendMessage(7, 'hi', { reply_parameters: unknown }));
      expect(error.description).toBe('Bad Request: message to be replied not found');
      const params = { ...unknown, allow_sending_without_reply: true };
      await bot.telegram.sendMessage(7, 'hi', { reply_parameters: params });
      expect(fake.sent).toHaveLength(2);
    });

    it('rejects blocked, migrated and unknown chats as Telegram does', async () => {
      fake.block(7);
      expect((await refusal(bot.telegram.sendMessage(7, 'hi'))).response).toEqual({
        ok: false,
        error_code: 403,
        description: 'Forbidden: bot was blocked by the user',
      });
      fake.unblock(7);
      await bot.telegram.sendMessage(7, 'hi again');

      fake.migrate(-20, -1000020);
      expect((await refusal(bot.telegram.sendMessage(-20, 'hi'))).response).toMatchObject({
        error_code: 400,
        parameters: { migrate_to_chat_id: -1000020 },
      });
      expect((await bot.telegram.sendMessage(-1000020, 'hi')).chat.type).toBe('supergroup');

      const unknown = await refusal(bot.telegram.sendMessage('unknown', 'hi'));
      expect(unknown.description).toBe('Bad Request: chat not found');
    });

    it('with strictChats, knows only the chats that wrote to the bot', async () => {
      const strict = await new TelegramFake({ strictChats: true }).start();
      const { telegram } = new Telegraf(strict.token, { telegram: { apiRoot: strict.url } });
      strict.receiveText({ chatId: 7, text: 'hello' });
      await telegram.sendMessage(7, 'hi');
      expect((await refusal(telegram.sendMessage(8, 'hi'))).description).toBe('Bad Request: chat not found');
      await strict.stop();
    });
  });

  it('records chat actions and rejects unknown ones', async () => {
    await bot.telegram.sendChatAction(7, 'typing');
    expect(fake.actions).toMatchObject([{ chat_id: 7, action: 'typing' }]);
    const error = await refusal(bot.telegram.sendChatAction(7, 'thinking' as never));
    expect(error.code).toBe(400);
  });

  describe('faults', () => {
    it('answers 429 with retry_after, as often as asked, to the given method', async () => {
      fake.fail({ method: 'sendMessage', times: 2, status: 429, retryAfter: 3 });
      await bot.telegram.getMe();
      for (const _ of [1, 2]) {
        const error = await refusal(bot.telegram.sendMessage(7, 'hi'));
        expect(error).toMatchObject({ code: 429, parameters: { retry_after: 3 } });
      }
      await bot.telegram.sendMessage(7, 'hi');
    });

    it('answers with any status, body and headers until cleared', async () => {
      fake.fail({ times: Infinity, status: 502, body: '<html>Bad Gateway</html>', headers: { server: 'nginx' } });
      expect((await refusal(bot.telegram.getMe())).code).toBe(502);
      const answer = await fetch(`${fake.url}/bot${fake.token}/getMe`);
      expect([answer.headers.get('server'), await answer.text()]).toEqual(['nginx', '<html>Bad Gateway</html>']);
      fake.clearFaults();
      await bot.telegram.getMe();
    });

    it.each([
      ['drop_before', 0],
      ['reset', 0],
      ['drop_after', 1],
    ] as const)('%s: the client sees a lost connection, %i messages were sent', async (kind, sent) => {
      fake.fail({ method: 'sendMessage', kind });
      expect(await refusal(bot.telegram.sendMessage(7, 'hi'))).toMatchObject({ name: 'FetchError' });
      expect(fake.sent).toHaveLength(sent);
    });

    it.each([
      ['hang', 0],
      ['hang_after', 1],
    ] as const)('%s: no answer comes until the client gives up, %i messages were sent', async (kind, sent) => {
      fake.fail({ method: 'sendMessage', kind });
      const controller = new AbortController();
      const call = refusal(
        // Telegraf types `signal` by the abort-controller package, which lacks some members of the built-in type.
        bot.telegram.callApi('sendMessage', { chat_id: 7, text: 'hi' }, { signal: controller.signal as never }),
      );
      await fake.waitUntil(
        () => fake.requestsOf('sendMessage').length === 1 && fake.sent.length === sent,
        () => 'the call did not come in',
      );
      controller.abort();
      expect(await call).toMatchObject({ name: 'AbortError' });
      expect(fake.sent).toHaveLength(sent);
    });

    it('delays responses', async () => {
      fake.delay(80, 'getMe');
      const start = performance.now();
      await bot.telegram.getMe();
      expect(performance.now() - start).toBeGreaterThanOrEqual(75);
    });

    it('stops with waiting polls, refuses connections, and starts again at the same address with its updates', async () => {
      const poll = refusal(getUpdates(0, 50));
      await fake.waitForPoll();
      const { url } = fake;
      await fake.stop();
      expect(await poll).toMatchObject({ name: 'FetchError' });
      expect(await refusal(bot.telegram.getMe())).toMatchObject({ code: 'ECONNREFUSED' });
      fake.receiveText({ chatId: 7, text: 'during the outage' });
      await fake.start();
      expect(fake.url).toBe(url);
      expect(await getUpdates(0)).toMatchObject([{ message: { text: 'during the outage' } }]);
    });

    it('drops open connections and continues', async () => {
      const poll = refusal(getUpdates(0, 50));
      await fake.waitForPoll();
      fake.dropConnections();
      expect(await poll).toMatchObject({ name: 'FetchError' });
      expect(fake.isPolled).toBe(false);
      await bot.telegram.getMe();
    });

    it('waitForSent fails with the number of messages that it waited for', async () => {
      await bot.telegram.sendMessage(7, 'hi');
      await expect(fake.waitForSent(2, 20)).rejects.toThrow('1 of 2 messages were sent');
    });
  });

  describe('webhook', () => {
    const posts: { secret: unknown; update: TelegramUpdate }[] = [];
    let answers: { status: number; body?: string }[];
    let receiver: Server;
    let url: string;

    beforeEach(async () => {
      posts.length = 0;
      answers = [];
      receiver = createServer((req, res) => {
        const chunks: Buffer[] = [];
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('end', () => {
          const update = JSON.parse(Buffer.concat(chunks).toString()) as TelegramUpdate;
          posts.push({ secret: req.headers['x-telegram-bot-api-secret-token'], update });
          const { status, body } = answers.shift() ?? { status: 200 };
          res.writeHead(status).end(body);
        });
      });
      await new Promise<void>((resolve) => {
        receiver.listen(0, '127.0.0.1', resolve);
      });
      url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks/telegram`;
    });

    afterEach(async () => {
      await fake.stop();
      receiver.closeAllConnections();
      await new Promise((resolve) => {
        receiver.close(resolve);
      });
    });

    const delivered = () =>
      fake.waitUntil(
        () => fake.pendingUpdates.length === 0,
        () => `${fake.pendingUpdates.length} updates wait`,
      );

    it('posts updates with the secret, in order, until each is accepted', async () => {
      fake.receiveText({ chatId: 7, text: 'before' });
      answers = [{ status: 500 }, { status: 200, body: 'fine' }];
      await bot.telegram.setWebhook(url, { secret_token: 's3cret_-' });
      fake.receiveText({ chatId: 7, text: 'after' });
      await delivered();
      expect(posts.map(({ update }) => update.message?.text)).toEqual(['before', 'before', 'after']);
      expect(posts.map(({ secret }) => secret)).toEqual(['s3cret_-', 's3cret_-', 's3cret_-']);
      expect(await bot.telegram.getWebhookInfo()).toMatchObject({
        url,
        pending_update_count: 0,
        last_error_message: 'Wrong response from the webhook: 500 Internal Server Error',
      });
    });

    it("executes the method that a webhook's receiver names in its response", async () => {
      answers = [{ status: 200, body: JSON.stringify({ method: 'sendMessage', chat_id: 7, text: 'hi' }) }];
      await bot.telegram.setWebhook(url);
      fake.receiveText({ chatId: 7, text: 'hello' });
      expect(await fake.waitForSent(1)).toMatchObject([{ chat_id: 7, text: 'hi' }]);
    });

    it('a webhook and polling exclude each other', async () => {
      const poll = refusal(getUpdates(0, 50));
      await fake.waitForPoll();
      await bot.telegram.setWebhook(url);
      expect(await poll).toMatchObject({ code: 409, description: 'Conflict: terminated by setWebhook request' });
      expect((await refusal(getUpdates(0))).description).toMatch(
        /^Conflict: can't use getUpdates method while webhook/,
      );
      await bot.telegram.deleteWebhook();
      expect(await getUpdates(0)).toEqual([]);
    });

    it('deleteWebhook drops waiting updates only with drop_pending_updates', async () => {
      fake.receiveText({ chatId: 7, text: 'hello' });
      await bot.telegram.deleteWebhook();
      expect(fake.pendingUpdates).toHaveLength(1);
      await bot.telegram.deleteWebhook({ drop_pending_updates: true });
      expect(fake.pendingUpdates).toHaveLength(0);
    });

    it('rejects a secret that Telegram would reject', async () => {
      const error = await refusal(bot.telegram.setWebhook(url, { secret_token: 'not allowed' }));
      expect(error.description).toBe('Bad Request: secret token contains unallowed characters');
    });
  });
});
