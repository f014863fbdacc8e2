import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const ANN = { id: 9_300_001, first_name: 'Ann' };
const NOW = Math.floor(Date.now() / 1_000);
const MINUTE_MS = 60_000;

describe('A topic of a Telegram chat', () => {
  const telegram = new TelegramFake({ bot: { username: 'field_bot' } });
  const anthropic = new AnthropicFake();
  let gateway: TestGateway;
  let chats = -100_930_000;
  let chatId: number;

  beforeAll(async () => {
    await Promise.all([telegram.start(), anthropic.start()]);
    anthropic.replyWith((request) => `Answer to ${JSON.stringify((request as { messages?: unknown }).messages)}`);
    gateway = await startTestGateway({ telegram, anthropic, env: { TELEGRAM_GROUP_REPLIES: 'all' } });
    await gateway.connected('telegram');
    await gateway.api('PATCH', '/admin/settings', {
      handover: { phrases: ['talk to a human'], closing_message: 'A colleague takes over.' },
    });
  });
  beforeEach(() => {
    chats -= 1;
    chatId = chats;
  });

  const conversationOf = (participantId: string) =>
    eventually(`${participantId} has a conversation`, async () => {
      const listed = (await gateway.api<ConversationDto[]>('GET', `/conversations?q=${participantId}`)).body.data;
      const found = listed.find(({ participant }) => participant.id === participantId);
      expect(found).toBeDefined();
      return found!;
    });
  const read = async (id: string) =>
    (await gateway.api<ConversationDto>('GET', `/conversations/${id}?include_messages=true&expand=context`)).body.data;
  const write = (text: string, topic?: number, chat = chatId) =>
    telegram.receiveText({ chatId: chat, chatType: 'supergroup', title: 'Depot', text, from: ANN, topic });
  const send = async (recipient: string, message: string, more: object = {}) => {
    const request = { platform: 'telegram', recipient, message, ...more };
    const { body } = await gateway.api<SendResultDto>('POST', '/messages/send', request);
    expect(body).toMatchObject({ success: true });
    return body.data;
  };
  const stored = async (content: string) => {
    const path = '/messages?expand=details&direction=inbound&per_page=100';
    return eventually(`"${content}" is stored`, async () => {
      const message = (await gateway.api<MessageDto[]>('GET', path)).body.data.find((one) => one.content === content);
      expect(message).toBeDefined();
      return message!;
    });
  };
  const sentTo = (chat: number | string, topic?: number) =>
    telegram.sent.filter(
      ({ chat_id, params }) =>
        String(chat_id) === String(chat) && Number(params['message_thread_id'] ?? 0) === (topic ?? 0),
    );
  const answerIn = (topic?: number, chat: number = chatId) =>
    eventually(`topic ${topic} of ${chat} gets an answer`, () => {
      expect(sentTo(chat, topic)).toHaveLength(1);
      return sentTo(chat, topic)[0]!;
    });

  it('has an answer and a context of its own (field input 06)', async () => {
    const chat = { id: -100_920_001, type: 'supergroup', title: 'Depot', is_forum: true };
    const ask = (id: number, text: string, message_thread_id?: number) =>
      telegram.receive({
        message: {
          message_id: id,
          date: NOW,
          from: { id: 9_200_000 + id, is_bot: false, first_name: 'Nora' },
          chat,
          text,
          ...(message_thread_id && { message_thread_id, is_topic_message: true }),
        },
      });
    ask(101, '@field_bot question in topic', 44);
    ask(102, '@field_bot other topic question', 55);
    ask(103, '@field_bot question in General', 1);
    ask(104, '@field_bot question in the chat');
    const [first, second] = [await answerIn(44, chat.id), await answerIn(55, chat.id)];
    expect(first.text).toContain('question in topic');
    expect(first.text).not.toContain('other topic');
    expect(second.text).toContain('other topic question');
    expect(second.text).not.toContain('question in topic');
    await eventually('General is answered', () =>
      expect(sentTo(chat.id).at(-1)!.text).toContain('question in the chat'),
    );
    const conversation = await conversationOf(`${chat.id}/44`);
    expect(conversation.participant).toMatchObject({ id: '-100920001/44', name: 'Depot' });
    expect((await read(conversation.id)).messages).toMatchObject([
      { direction: 'inbound', sender: { id: '9200101', name: 'Nora', username: null } },
      { direction: 'outbound', sender: null },
    ]);
    const typed = telegram.actions.filter(({ chat_id }) => String(chat_id) === String(chat.id));
    expect(new Set(typed.map(({ topic }) => topic))).toEqual(new Set([44, 55, undefined]));
  });

  it('works in a private chat, without the name of the person', async () => {
    telegram.receiveText({ chatId: 9_310_001, text: 'Just us', from: { id: 9_310_001, first_name: 'Dan' }, topic: 7 });
    const { text } = await answerIn(7, 9_310_001);
    expect(text).toContain('Just us');
    expect(text).not.toContain('Dan');
    expect((await conversationOf('9310001/7')).participant.name).toBe('Dan');
  });

  it('is a recipient of texts, scheduled messages and replies', async () => {
    const sent = await send(`${chatId}/44`, 'Hello topic');
    expect(sent.recipient).toBe(`${chatId}/44`);
    const send_at = new Date(Date.now() + 1_000).toISOString();
    await send(`${chatId}/44`, 'Later', { send_at });
    await send(`${chatId}/44`, 'Reply', { options: { reply_to: sent.message_id } });
    await send(`${chatId}/1`, 'To General');
    await send(String(chatId), 'To the chat');
    await eventually('the scheduled one is sent', () =>
      expect(sentTo(chatId, 44).map(({ text }) => text)).toEqual(['Hello topic', 'Reply', 'Later']),
    );
    expect(sentTo(chatId).map(({ text }) => text)).toEqual(['To General', 'To the chat']);
    expect((await conversationOf(`${chatId}/44`)).message_count).toBe(3);
    expect((await conversationOf(String(chatId))).message_count).toBe(2);
  });

  it('gets files and albums', async () => {
    const upload = async (name: string) => {
      const form = new FormData();
      form.append('file', new Blob([name]), name);
      const headers = { authorization: `Bearer ${gateway.liveKey}` };
      const answer = await fetch(`${gateway.url}/api/v1/media`, { method: 'POST', headers, body: form });
      return { id: ((await answer.json()) as { data: { id: string } }).data.id };
    };
    const attachments = [await upload('one.txt'), await upload('two.txt')];
    await send(`${chatId}/9`, 'Both', { attachments });
    await send(`${chatId}/9`, 'Third', { attachments: [await upload('three.txt')] });
    expect(sentTo(chatId, 9)).toHaveLength(3);
  });

  it.each(['012/4', `${-5}/0`, '-5/x', '-5/4/3', '@depot/4', '-5/'])('refuses the recipient %s', async (recipient) => {
    const request = { platform: 'telegram', recipient, message: 'x' };
    const { status, body } = await gateway.api('POST', '/messages/send', request);
    expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_PARAMETER' } }]);
  });

  it('inherits from its chat who has it, until when, and when the context was cleared', async () => {
    write('Hello chat');
    await answerIn();
    const chat = await conversationOf(String(chatId));
    await gateway.api('POST', `/conversations/${chat.id}/clear`);
    const terms = { assignee: 'Grace', note: 'mine', resume_after_minutes: 30 };
    await gateway.api('POST', `/conversations/${chat.id}/handover`, terms);
    write('In a topic', 44);
    await stored('In a topic');
    const topic = await read((await conversationOf(`${chatId}/44`)).id);
    const { handover, cleared_at } = await read(chat.id);
    expect(topic).toMatchObject({ handling: 'human', handover, cleared_at, message_count: 1 });
    expect(Math.round((Date.parse(topic.handover!.resume_at!) - Date.now()) / MINUTE_MS)).toBe(30);
    await gateway.api('POST', `/conversations/${chat.id}/resume`);
    await send(`${chatId}/55`, 'A first message of ours');
    expect((await conversationOf(`${chatId}/55`)).handling).toBe('assistant');
    expect((await read(topic.id)).handling).toBe('human');
    expect(sentTo(chatId, 44)).toEqual([]);
    // The assistant gets the topic back when its own time is over.
    await gateway.sql(`UPDATE handovers SET resume_at = now(), next_at = now()`);
    await eventually('it is back', async () => expect((await read(topic.id)).handling).toBe('assistant'));
    write('In the topic again', 44);
    await answerIn(44);
  });

  it('tells a person in their topic that a colleague takes over', async () => {
    write('I want to talk to a human', 12);
    await eventually('the message is sent', () =>
      expect(sentTo(chatId, 12).map(({ text }) => text)).toEqual(['A colleague takes over.']),
    );
    expect((await conversationOf(`${chatId}/12`)).handling).toBe('requested');
  });

  it('moves with a group that becomes a supergroup', async () => {
    const group = 1_000_000 + chatId;
    write('Old group', undefined, group);
    write('Old topic', 44, group);
    await answerIn(44, group);
    const [chat, topic] = [await conversationOf(String(group)), await conversationOf(`${group}/44`)];
    await gateway.api('POST', `/conversations/${topic.id}/handover`, {});
    telegram.migrate(group, chatId);
    const about = { message_id: 900, date: NOW, chat: { id: group, type: 'group', title: 'Depot' } };
    telegram.receive({ message: { ...about, migrate_to_chat_id: chatId } });
    write('New topic', 44);
    expect((await stored('New topic')).conversation_id).toBe(topic.id);
    write('New group');
    expect((await stored('New group')).conversation_id).toBe(chat.id);
    expect(await read(topic.id)).toMatchObject({ participant: { id: `${chatId}/44` }, handling: 'human' });
    await send(`${group}/44`, 'To the former id');
    expect(sentTo(chatId, 44).map(({ text }) => text)).toEqual(['To the former id']);
    expect((await read(topic.id)).messages!.map(({ content }) => content)).toContain('To the former id');
  });

  it('moves with its chat if a send reveals the new id first', async () => {
    const group = 2_000_000 + chatId;
    const { message_id } = await send(`${group}/3`, 'Hello');
    telegram.migrate(group, chatId);
    await send(`${group}/3`, 'Hello again');
    const { conversation_id } = (await gateway.api<MessageDto>('GET', `/messages/${message_id}`)).body.data;
    expect(await read(conversation_id)).toMatchObject({ participant: { id: `${chatId}/3` }, message_count: 2 });
  });

  it('keeps taps and reactions', async () => {
    const interactive = { type: 'choice', options: [{ id: 'yes', title: 'Yes' }] };
    const offered = await send(`${chatId}/44`, 'Do you want it?', { interactive });
    await send(`${chatId}/44`, 'Nice?');
    const [question, nice] = sentTo(chatId, 44);
    const chat = { id: chatId, type: 'supergroup', title: 'Depot', is_forum: true };
    const person = { ...ANN, is_bot: false };
    const date = NOW;
    telegram.receive({
      message_reaction: {
        chat,
        user: person,
        date,
        message_id: nice!.message_id,
        old_reaction: [],
        new_reaction: [{ type: 'emoji', emoji: '👍' }],
      },
    });
    const markup = question!.params['reply_markup'] as { inline_keyboard: { callback_data: string }[][] };
    telegram.receive({
      callback_query: {
        id: `tap${chatId}`,
        from: person,
        chat_instance: '1',
        data: markup.inline_keyboard[0]![0]!.callback_data,
        message: {
          message_id: question!.message_id,
          date,
          chat,
          reply_markup: markup,
          message_thread_id: 44,
          is_topic_message: true,
        },
      },
    });
    const tap = await stored('Yes');
    const topic = await conversationOf(`${chatId}/44`);
    expect(tap).toMatchObject({ conversation_id: topic.id, interactive_reply: { message_id: offered.message_id } });
    await eventually('the reaction is stored', async () => {
      const rows = await gateway.sql(
        `SELECT FROM messages WHERE content = 'Nice?' AND options -> 'reactions' IS NOT NULL AND conversation_id IN
        (SELECT id FROM conversations WHERE participant_id = $1)`,
        [`${chatId}/44`],
      );
      expect(rows).toHaveLength(1);
    });
  });
});
