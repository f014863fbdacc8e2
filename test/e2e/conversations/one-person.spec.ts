import { fromPublicId, toPublicId } from '#contracts';
import type { ClearedConversationDto, ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { DiscordFake } from '../../fakes/discord.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const MINUTE_MS = 60_000;

/** A client uses one instance; WhatsApp calls the other one. */
describe('One person with several ids', () => {
  const whatsapp = new WhatsAppFake();
  const telegram = new TelegramFake();
  const discord = new DiscordFake();
  const anthropic = new AnthropicFake();
  let first: TestGateway;
  let second: TestGateway;
  let people = 0;
  /** The number that a client asks for, and the one that WhatsApp answers with. */
  let asked: string;
  let known: string;

  beforeAll(async () => {
    await Promise.all([whatsapp, telegram, discord, anthropic].map((fake) => fake.start()));
    const env = { ...whatsapp.env, DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url };
    first = await startTestGateway({ telegram, anthropic, env });
    second = await startTestGateway({ telegram, anthropic, env, databaseUrl: first.databaseUrl });
    whatsapp.subscribe(`${second.url}/callbacks/whatsapp`);
    for (const platform of ['whatsapp', 'telegram', 'discord'] as const) await first.connected(platform);
    await second.connected('whatsapp');
    await first.api('PATCH', '/admin/settings', {
      rate_limits: { messages_per_minute: 100_000 },
      handover: { phrases: ['talk to a human'] },
    });
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await Promise.all([whatsapp.shutDown(), telegram.stop(), discord.stop(), anthropic.stop()]);
  });
  beforeEach(() => {
    people += 1;
    [asked, known] = [`55119${80_000_000 + people}`, `5511${80_000_000 + people}`];
  });
  afterEach(() => {
    anthropic.release();
    whatsapp.beforeAnswer = () => Promise.resolve();
  });

  const api = <T = ConversationDto>(method: string, path: string, body?: object) => first.api<T>(method, path, body);
  const read = async (id: string) => (await api('GET', `/conversations/${id}`)).body.data;
  const messagesOf = async (id: string) =>
    (await api<MessageDto[]>('GET', `/messages?conversation_id=${id}&expand=details&sort=created_at`)).body.data;
  const contentsOf = async (id: string) => (await messagesOf(id)).map(({ content }) => content);
  const send = async (recipient: string, message: string, more: object = {}, platform = 'whatsapp') => {
    const { body } = await api<SendResultDto>('POST', '/messages/send', { platform, recipient, message, ...more });
    expect(body).toMatchObject({ data: { status: expect.stringMatching(/^(?:sent|scheduled)$/) as string } });
    return body.data;
  };
  const takeOver = { options: { take_over: true } };
  const conversationOf = async (messageId: string) =>
    (await api<MessageDto>('GET', `/messages/${messageId}`)).body.data.conversation_id;
  /** The conversation of a message that a person wrote. */
  const stored = (content: string) =>
    eventually(`"${content}" is stored`, async () => {
      const [row] = await first.sql<{ id: string }>(
        `SELECT conversation_id AS id FROM messages WHERE direction = 'inbound' AND content = $1`,
        [content],
      );
      expect(row).toBeDefined();
      return row!.id;
    });
  const rowsOf = (...ids: string[]) =>
    first.sql<{ id: string; participant_id: string; merged_into: string | null; status: string; handling: string }>(
      `SELECT id, participant_id, merged_into, status, handling FROM conversations
       WHERE participant_id = ANY ($1) ORDER BY created_at, id`,
      [ids],
    );
  const write = (from: string, text: string) => whatsapp.receiveText({ from, text });
  const questions = () => anthropic.requestsOf('messages').map(({ body }) => JSON.stringify(body));

  /** The person has a conversation under both numbers, before WhatsApp tells that they are of one person. */
  async function twoConversations(): Promise<{ older: string; newer: string }> {
    const { message_id } = await send(asked, `Hello ${asked}`);
    const older = await conversationOf(message_id);
    write(known, `Question of ${known}`);
    await stored(`Question of ${known}`);
    const newer = await eventually('it is answered', async () => {
      const [conversation] = (await api<ConversationDto[]>('GET', `/conversations?q=${known}`)).body.data;
      expect((await messagesOf(conversation!.id)).map(({ status }) => status)).toEqual(['received', 'sent']);
      return conversation!.id;
    });
    whatsapp.waIds.set(asked, known);
    return { older, newer };
  }

  describe('after a send that the platform answers with another id', () => {
    it.each([
      ['a Brazilian number with its 9th digit', '5511987654321', '551187654321'],
      ['an Argentine number without its 9', '541122334455', '5491122334455'],
      ['a Mexican number without its 1', '525512345678', '5215512345678'],
      ['a number as people write it', '+49 (0) 151 2345678', '491512345678'],
    ])(
      'keeps the conversation of %s with the colleague who took it over (field input 02)',
      async (_, recipient, waId) => {
        whatsapp.waIds.set(recipient.replace(/\D/g, ''), waId);
        const { message_id } = await send(recipient, 'Your order is ready', takeOver);
        const id = await conversationOf(message_id);
        const text = `thanks, can you deliver it to ${waId}?`;
        write(waId, text);
        await stored(text);
        expect(await contentsOf(id)).toEqual(['Your order is ready', text]);
        expect(await read(id)).toMatchObject({ participant: { id: waId }, handling: 'human', message_count: 2 });
        expect(questions().filter((question) => question.includes(waId))).toEqual([]);
        const again = await send(recipient, 'At three');
        expect(await conversationOf(again.message_id)).toBe(id);
        expect(whatsapp.sent.at(-1)!.to.replace(/\D/g, '')).toBe(recipient.replace(/\D/g, ''));
        expect(await rowsOf(recipient.replace(/\D/g, ''), waId)).toHaveLength(1);
      },
    );

    it('keeps the conversation of a person whose user id WhatsApp changes (field input 03)', async () => {
      const [former, next] = [`MX.3000000${people}1`, `MX.3000000${people}2`];
      whatsapp.receiveText({ userId: former, name: 'Bia', text: `hola ${former}` });
      const row = await stored(`hola ${former}`);
      const id = toPublicId('conversation', row);
      await api('POST', `/conversations/${id}/handover`, {});
      const body = 'User Bia changed user id';
      const system = { body, type: 'user_changed_user_id', user_id: next, previous_user_id: former };
      whatsapp.receive({ type: 'system', system }, { userId: former });
      whatsapp.receiveText({ userId: next, name: 'Bia', text: `still there ${next}?` });
      expect(await stored(`still there ${next}?`)).toBe(row);
      expect(await read(id)).toMatchObject({ participant: { id: next }, handling: 'human' });
      const inbound = (await messagesOf(id)).filter(({ direction }) => direction === 'inbound');
      expect(inbound.map(({ content }) => content)).toEqual([`hola ${former}`, `still there ${next}?`]);
    });

    it('includes what a colleague writes on the phone to another form of the number', async () => {
      whatsapp.waIds.set(asked, known);
      const id = await conversationOf((await send(asked, 'Your order is ready')).message_id);
      await whatsapp.postEcho({ id: `wamid.${asked}`, to: `+${asked}`, type: 'text', text: { body: 'Grace here' } });
      expect(await contentsOf(id)).toEqual(['Your order is ready', 'Grace here']);
      expect((await read(id)).handling).toBe('human');
    });

    it('keeps the name of a Telegram group, and follows a name that moves to another group', async () => {
      const [group, other] = [-100_777_001, -100_777_002];
      telegram.nameGroup(group, 'depot_team');
      const { message_id } = await send('@depot_team', 'Hello depot', takeOver, 'telegram');
      const id = await conversationOf(message_id);
      telegram.receiveText({ chatId: group, chatType: 'supergroup', text: 'Depot answers', from: ANN });
      await stored('Depot answers');
      expect(await contentsOf(id)).toEqual(['Hello depot', 'Depot answers']);
      expect(await read(id)).toMatchObject({ participant: { id: String(group) }, handling: 'human' });

      telegram.nameGroup(group, 'old_depot');
      telegram.nameGroup(other, 'depot_team');
      await send('@depot_team', 'Hello again', {}, 'telegram');
      expect(telegram.sent.at(-1)).toMatchObject({ chat_id: '@depot_team' });
      const later = await send('@depot_team', 'To the new depot', {}, 'telegram');
      const next = await conversationOf(later.message_id);
      expect(next).not.toBe(id);
      expect(await read(next)).toMatchObject({ participant: { id: String(other) }, handling: 'assistant' });
      expect(await rowsOf(String(group))).toEqual([expect.objectContaining({ handling: 'human', merged_into: null })]);
    });

    it('erases a conversation that was merged for a name of another group', async () => {
      const [group, other] = [-100_777_005, -100_777_006];
      telegram.receiveText({ chatId: group, chatType: 'supergroup', text: 'Before the name', from: ANN });
      await stored('Before the name');
      const named = await first.sql<{ id: string }>(
        `INSERT INTO conversations (id, environment, platform, participant_id, created_at, last_message_at)
         VALUES (gen_random_uuid(), 'live', 'telegram', '@day_team', now(), now()) RETURNING id`,
      );
      telegram.nameGroup(group, 'day_team');
      const id = await conversationOf((await send('@day_team', 'Hello day', {}, 'telegram')).message_id);
      telegram.nameGroup(group, 'old_day');
      telegram.nameGroup(other, 'day_team');
      await send('@day_team', 'Hello again', {}, 'telegram');
      const conversation = await read(
        (await api<ConversationDto[]>('GET', `/conversations?q=${group}`)).body.data[0]!.id,
      );
      expect((await read(id)).merged_into).toBe(conversation.id);
      await api('DELETE', `/conversations/${conversation.id}`);
      const [row] = await first.sql<{ participant_id: string | null }>(
        'SELECT participant_id FROM conversations WHERE id = $1',
        [named[0]!.id],
      );
      expect(row).toEqual({ participant_id: null });
    });

    it('gets a scheduled message in the chat that has the name when it is due', async () => {
      const [group, other] = [-100_777_003, -100_777_004];
      telegram.nameGroup(group, 'night_team');
      await send('@night_team', 'Hello night', {}, 'telegram');
      const send_at = new Date(Date.now() + 1_500).toISOString();
      await send('@night_team', 'Later', { send_at }, 'telegram');
      telegram.nameGroup(group, 'old_night');
      telegram.nameGroup(other, 'night_team');
      await eventually('it is sent', () =>
        expect(telegram.sent.find(({ text }) => text === 'Later')).toMatchObject({ chat_id: '@night_team' }),
      );
    });

    it('keeps the name of a Discord direct message when a send to its channel is answered', async () => {
      const { id: channelId } = discord.directMessage('77001');
      const id = await conversationOf((await send(channelId, 'Hello you', takeOver, 'discord')).message_id);
      discord.receiveText({ userId: '77001', text: 'Hello back' });
      await stored('Hello back');
      expect(await contentsOf(id)).toEqual(['Hello you', 'Hello back']);
      expect(await read(id)).toMatchObject({ participant: { id: '77001' }, handling: 'human' });
      const again = await send('77001', 'Bye', {}, 'discord');
      expect(await conversationOf(again.message_id)).toBe(id);
    });
  });

  it('has one open conversation with the colleague, if the person writes while the platform answers the send', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => [
      `55119${70_000_000 + index}`,
      `5511${70_000_000 + index}`,
    ]);
    for (const [one, other] of numbers) whatsapp.waIds.set(one!, other!);
    whatsapp.beforeAnswer = ({ to }) => {
      write(whatsapp.waIds.get(to)!, `Meanwhile ${to}`);
      return Promise.resolve();
    };
    const sends = numbers.map(([one]) => send(one!, 'Your order is ready', takeOver));
    const ids = await Promise.all((await Promise.all(sends)).map(({ message_id }) => conversationOf(message_id)));
    for (const [one] of numbers) await stored(`Meanwhile ${one}`);
    for (const id of ids) expect(await read(id)).toMatchObject({ handling: 'human', merged_into: null });
    const open = (await rowsOf(...numbers.flat())).filter(({ merged_into }) => merged_into === null);
    expect(open).toHaveLength(numbers.length);
    expect(open.map(({ participant_id }) => participant_id)).toEqual(
      expect.arrayContaining(numbers.map(([, other]) => other)),
    );
    for (const [, other] of numbers) write(other!, `Afterwards ${other}`);
    for (const [, other] of numbers) await stored(`Afterwards ${other}`);
    for (const id of ids) expect((await contentsOf(id)).at(-1)).toMatch(/^Afterwards/);
    expect(questions().filter((question) => question.includes('Afterwards'))).toEqual([]);
  });

  describe('who has two conversations already', () => {
    it('continues the older one, moves no message, and shows where the newer one went', async () => {
      const { older, newer } = await twoConversations();
      const before = await contentsOf(newer);
      await send(asked, 'Your order is ready');
      expect(await read(newer)).toMatchObject({ status: 'archived', merged_into: older, message_count: 2 });
      expect(await read(older)).toMatchObject({ status: 'active', merged_into: null, participant: { id: known } });
      expect(await contentsOf(newer)).toEqual(before);
      const listed = (await api<ConversationDto[]>('GET', `/conversations?q=${known}`)).body.data;
      const places = listed.map(({ id, merged_into }) => ({ id, merged_into }));
      expect(places).toEqual(
        expect.arrayContaining([
          { id: older, merged_into: null },
          { id: newer, merged_into: older },
        ]),
      );
      anthropic.hold();
      write(known, `More from ${known}`);
      await stored(`More from ${known}`);
      await send(known, 'To the known number');
      await send(asked, 'To the asked number');
      expect(await contentsOf(older)).toEqual(
        expect.arrayContaining([`More from ${known}`, 'To the known number', 'To the asked number']),
      );
      expect(await contentsOf(newer)).toEqual(before);
    });

    it.each([
      [{}, undefined, 'human', null],
      [undefined, {}, 'human', null],
      [{ resume_after_minutes: 30 }, { resume_after_minutes: 90 }, 'human', 90],
      [{ resume_after_minutes: 90 }, { resume_after_minutes: 30 }, 'human', 90],
      [{ resume_after_minutes: 30 }, {}, 'human', null],
      [undefined, undefined, 'assistant', null],
    ])(
      'taken over in the older one (%j) or in the newer one (%j) leaves it to %s',
      async (one, other, handling, end) => {
        const { older, newer } = await twoConversations();
        for (const [id, terms] of [
          [older, one],
          [newer, other],
        ] as const)
          if (terms) await api('POST', `/conversations/${id}/handover`, terms);
        await send(asked, 'Your order is ready');
        const merged = await read(older);
        expect(merged.handling).toBe(handling);
        const resumeAt = merged.handover?.resume_at ?? null;
        const minutes = resumeAt === null ? null : Math.round((Date.parse(resumeAt) - Date.now()) / MINUTE_MS);
        expect(minutes).toBe(end);
        expect(await read(newer)).toMatchObject({ handling: 'assistant', handover: null, merged_into: older });
      },
    );

    it('prefers a colleague who has it to one who is requested', async () => {
      const { older, newer } = await twoConversations();
      write(known, 'I want to talk to a human');
      await eventually('a person is asked for', async () => expect((await read(newer)).handling).toBe('requested'));
      await send(asked, 'Your order is ready');
      expect((await read(older)).handling).toBe('requested');
      expect((await api('POST', `/conversations/${newer}/handover`, { assignee: 'Grace' })).body.data).toMatchObject({
        id: older,
        handling: 'human',
        handover: { assignee: 'Grace', reason: 'phrase' },
      });
    });

    it('gets no answer that began before a colleague took over, in either conversation', async () => {
      const { older, newer } = await twoConversations();
      anthropic.hold();
      write(known, `Slow question of ${known}`);
      await stored(`Slow question of ${known}`);
      await anthropic.waitForInFlight(1);
      await send(asked, 'Your order is ready', takeOver);
      expect(await read(newer)).toMatchObject({ merged_into: older });
      expect((await read(older)).handling).toBe('human');
      anthropic.release();
      await anthropic.waitForInFlight(0);
      await eventually('the call is billed', async () => {
        const rows = await first.sql<{ answered: boolean }>(
          `SELECT answered_seq >= requested_seq AND lease_until IS NULL AS answered FROM reply_tasks JOIN conversations c ON c.id = conversation_id
           WHERE c.merged_into IS NOT NULL AND c.participant_id = $1`,
          [asked],
        );
        expect(rows).toEqual([{ answered: true }]);
      });
      const sent = whatsapp.sent.filter(({ to }) => [asked, known].includes(to)).length;
      expect(sent).toBe(3);
    });

    it('gets no answer that began before the merge, if a colleague takes over after it', async () => {
      const { older } = await twoConversations();
      anthropic.hold();
      write(known, `Slow question of ${known}`);
      await stored(`Slow question of ${known}`);
      await anthropic.waitForInFlight(1);
      await send(asked, 'Your order is ready');
      await api('POST', `/conversations/${older}/handover`, {});
      anthropic.release();
      await anthropic.waitForInFlight(0);
      await eventually('the call ended', async () => {
        const rows = await first.sql(
          `SELECT FROM reply_tasks JOIN conversations c ON c.id = conversation_id
           WHERE c.merged_into IS NOT NULL AND c.participant_id = $1 AND answered_seq >= requested_seq AND lease_until IS NULL`,
          [asked],
        );
        expect(rows).toHaveLength(1);
      });
      expect(whatsapp.sent.filter(({ to }) => [asked, known].includes(to))).toHaveLength(3);
    });

    it('gets an answer that began before the merge in the continued conversation', async () => {
      const { older, newer } = await twoConversations();
      anthropic.hold();
      write(known, `Slow question of ${known}`);
      await stored(`Slow question of ${known}`);
      await anthropic.waitForInFlight(1);
      await send(asked, 'Your order is ready');
      anthropic.release();
      await eventually('it is answered', async () =>
        expect((await messagesOf(older)).filter(({ ai_model }) => ai_model !== null)).toHaveLength(1),
      );
      expect((await read(newer)).message_count).toBe(3);
    });

    it('does not link an answer in the older one to messages of the newer one', async () => {
      const { older } = await twoConversations();
      anthropic.hold();
      write(known, `Slow question of ${known}`);
      await stored(`Slow question of ${known}`);
      await anthropic.waitForInFlight(1);
      await send(asked, 'Your order is ready');
      anthropic.release();
      const answers = () =>
        first.sql<{ answers_from: number | null; answers_to: number | null }>(
          'SELECT answers_from, answers_to FROM messages WHERE conversation_id = $1 AND ai_model IS NOT NULL',
          [fromPublicId('conversation', older)],
        );
      await eventually('it is answered', async () => expect(await answers()).toHaveLength(1));
      expect(await answers()).toEqual([{ answers_from: null, answers_to: null }]);
    });

    it('has one context, which is cleared in the continued conversation', async () => {
      const { older, newer } = await twoConversations();
      await send(asked, 'Your order is ready');
      const { body } = await api<ClearedConversationDto>('POST', `/conversations/${newer}/clear`);
      expect(body.data).toMatchObject({ conversation_id: older, messages_cleared: 2 });
      anthropic.hold();
      write(known, `After the clearing ${known}`);
      await anthropic.waitForInFlight(1);
      expect(questions().at(-1)).not.toContain('Your order is ready');
    });

    it('gets a scheduled message of the newer one', async () => {
      const { newer } = await twoConversations();
      const send_at = new Date(Date.now() + 2_000).toISOString();
      const { message_id } = await send(known, 'Scheduled', { send_at });
      await send(asked, 'Your order is ready');
      await eventually('it is sent', async () =>
        expect((await api<MessageDto>('GET', `/messages/${message_id}`)).body.data.status).toBe('sent'),
      );
      expect(await conversationOf(message_id)).toBe(newer);
      expect(await read(newer)).toMatchObject({ status: 'archived', message_count: 3 });
    });

    it('gets a message once if WhatsApp delivers it again after the merge', async () => {
      const { older, newer } = await twoConversations();
      const id = whatsapp.receive({ type: 'text', text: { body: `Again ${known}` } }, { from: known });
      await stored(`Again ${known}`);
      await send(asked, 'Your order is ready');
      whatsapp.receive({ type: 'text', text: { body: `Again ${known}` }, id }, { from: known });
      write(known, `After ${known}`);
      await stored(`After ${known}`);
      expect(await contentsOf(newer)).toContain(`Again ${known}`);
      expect(await contentsOf(older)).not.toContain(`Again ${known}`);
    });

    it.each(['older', 'newer'] as const)('is erased in both if the %s one is erased', async (which) => {
      const ids = await twoConversations();
      await send(asked, 'Your order is ready');
      expect((await api('DELETE', `/conversations/${ids[which]}`)).status).toBe(200);
      await eventually('both are empty', async () => {
        for (const id of [ids.older, ids.newer]) {
          expect((await read(id)).erased_at).not.toBeNull();
          expect((await contentsOf(id)).join('')).toBe('');
        }
      });
      expect(await first.sql('SELECT FROM participant_aliases WHERE $1 IN (alias, participant_id)', [known])).toEqual(
        [],
      );
      write(known, `New ${known}`);
      await stored(`New ${known}`);
      expect(await rowsOf(known)).toEqual([expect.objectContaining({ merged_into: null, handling: 'assistant' })]);
    });
  });
});

const ANN = { id: 9_300_001, first_name: 'Ann' };
