import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const GROUP = { id: -1_009_500_001, type: 'supergroup', title: 'Team' };
const WHATSAPP_GROUP = 'Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjMA';
const NOW = Math.floor(Date.now() / 1_000);

describe('Messages in groups', () => {
  const telegram = new TelegramFake({ bot: { username: 'field_bot' } });
  const whatsapp = new WhatsAppFake();
  const anthropic = new AnthropicFake();
  let gateway: TestGateway;
  let numbers = 0;

  beforeAll(async () => {
    await Promise.all([telegram.start(), whatsapp.start(), anthropic.start()]);
    await start({});
  });
  afterAll(() => whatsapp.shutDown());

  async function start(env: NodeJS.ProcessEnv, databaseUrl?: string): Promise<void> {
    gateway = await startTestGateway({ telegram, anthropic, env: { ...whatsapp.env, ...env }, databaseUrl });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await Promise.all([gateway.connected('telegram'), gateway.connected('whatsapp')]);
  }
  const questions = () => anthropic.requestsOf('messages').map(({ body }) => JSON.stringify(body));
  const isAsked = (words: string) => questions().some((question) => question.includes(words));
  const say = (text: string, more: object = {}) => {
    numbers += 1;
    const person = { id: 9_500_000 + numbers, is_bot: false, first_name: `Person ${numbers}` };
    telegram.receive({
      message: { message_id: 100 + numbers, date: NOW, from: person, chat: GROUP, text, ...more },
    });
  };
  const tap = (title: string) => {
    numbers += 1;
    const from = { id: 9_500_000 + numbers, is_bot: false, first_name: `Person ${numbers}` };
    const reply_markup = { inline_keyboard: [[{ text: title, callback_data: title }]] };
    const message = { message_id: 7, date: NOW, chat: GROUP, from: telegram.bot, text: 'Who comes?', reply_markup };
    telegram.receive({ callback_query: { id: title, from, chat_instance: '1', data: title, message } });
  };
  const sayOnWhatsApp = (body: string, more: object = {}) => {
    whatsapp.receive({ type: 'text', text: { body }, group_id: WHATSAPP_GROUP, ...more }, { from: '491700000021' });
  };
  const stored = (content: string) =>
    eventually(`"${content}" is stored`, async () => {
      const path = '/messages?direction=inbound&expand=details&per_page=100';
      const { data } = (await gateway.api<MessageDto[]>('GET', path)).body;
      const found = data.find((message) => message.content === content);
      expect(found).toBeDefined();
      return found!;
    });
  const asked = (words: string) => eventually(`"${words}" is answered`, () => expect(isAsked(words)).toBe(true));
  /** The assistant answers in order, so a message that is not answered has been passed over by then. */
  const passed = async (words: string, closing: string) => {
    await stored(words);
    await asked(closing);
    expect(isAsked(`${words}"`)).toBe(false);
  };

  it('are answered in a new database if they mention the bot, which sees all of them with their authors (field inputs 07 and 08)', async () => {
    for (const text of ['I will take Monday', 'I take Tuesday']) {
      say(text);
      await stored(text);
    }
    expect(questions()).toEqual([]);
    say('@field_bot who has Tuesday?');
    await asked('who has Tuesday?');
    expect(questions()).toHaveLength(1);
    for (const words of ['Person 1: I will take Monday', 'Person 2: I take Tuesday', 'Person 3: @field_bot who'])
      expect(questions()[0]).toContain(words);
    const message = await stored('I take Tuesday');
    expect(message).toMatchObject({ sender: { id: '9500002', name: 'Person 2', username: null } });
    expect((await gateway.api<MessageDto>('GET', `/messages/${message.id}`)).body.data.sender).toEqual(message.sender);
    const path = `/conversations/${message.conversation_id}?include_messages=true`;
    const { messages } = (await gateway.api<ConversationDto>('GET', path)).body.data;
    expect(messages!.find(({ id }) => id === message.id)!.sender).toEqual(message.sender);
  });

  it('are answered if they reply to the bot, and not if they reply to a person', async () => {
    const reply_to_message = { message_id: 7, date: NOW, chat: GROUP, from: telegram.bot, text: 'Ben has Tuesday.' };
    say('To Ben', { reply_to_message: { ...reply_to_message, from: { id: 8, is_bot: false, first_name: 'Ben' } } });
    await stored('To Ben');
    say('Thank you, bot', { reply_to_message });
    await asked('Thank you, bot');
  });

  it('are answered if they are taps on a button of the bot', async () => {
    tap('I come');
    await asked('I come');
  });

  it('are answered on WhatsApp if they name the number or quote the business', async () => {
    const number = whatsapp.phone.replace(/\D/g, '');
    sayOnWhatsApp('Lunch at one?');
    await stored('Lunch at one?');
    sayOnWhatsApp(`@${number}1 somebody else?`);
    await stored(`@${number}1 somebody else?`);
    const before = questions().length;
    sayOnWhatsApp(`@${number} where do we eat?`);
    await asked('where do we eat?');
    expect(questions()).toHaveLength(before + 1);
    sayOnWhatsApp('That one', { context: { from: '491700000099', id: 'wamid.other' } });
    await stored('That one');
    sayOnWhatsApp('And dessert?', { context: { from: number, id: 'wamid.ours' } });
    await asked('And dessert?');
    expect(questions()).toHaveLength(before + 2);
  });

  it.each([
    ['all', { TELEGRAM_GROUP_REPLIES: 'all', WHATSAPP_GROUP_REPLIES: 'all' }, true, true],
    ['none', { TELEGRAM_GROUP_REPLIES: 'none', WHATSAPP_GROUP_REPLIES: 'none' }, false, false],
  ] as const)('are answered by the setting %s, private messages always', async (word, env, plain, mention) => {
    await gateway.stop();
    await start(env, gateway.databaseUrl);
    for (const [text, isAnswered] of [
      [`Plain ${word}`, plain],
      [`@field_bot mention ${word}`, mention],
    ] as const) {
      say(text);
      sayOnWhatsApp(`On WhatsApp: ${text}`);
      for (const words of [text, `On WhatsApp: ${text}`]) await (isAnswered ? asked(words) : stored(words));
    }
    tap(`Tap ${word}`);
    await (mention ? asked : stored)(`Tap ${word}`);
    telegram.receiveText({ chatId: 9_600_001, text: `Alone ${word}`, from: { id: 9_600_001, first_name: 'Dan' } });
    await asked(`Alone ${word}`);
    if (!mention) for (const words of ['Plain', 'Tap']) await passed(`${words} ${word}`, `Alone ${word}`);
  });

  it('are all answered in a database of an earlier version', async () => {
    await gateway.sql(`DELETE FROM migrations WHERE name = 'KeepGroupReplies1770780000000'`);
    await gateway.stop();
    await start({}, gateway.databaseUrl);
    say('Nobody is mentioned');
    await asked('Nobody is mentioned');
    sayOnWhatsApp('Nobody is mentioned here');
    await asked('Nobody is mentioned here');
  });
});

describe('The sandbox', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  const api = <T>(method: string, path: string, body?: object) =>
    gateway.api<T>(method, path, body, { key: gateway.testKey });
  const play = async (body: object) => {
    const answer = await api<{ message_id: string; conversation_id: string }>('POST', '/sandbox/inbound', body);
    expect(answer.status).toBe(200);
    return answer.body.data;
  };
  const read = async (id: string) =>
    (await api<ConversationDto>('GET', `/conversations/${id}?include_messages=true`)).body.data;
  const answered = (id: string, count: number) =>
    eventually('it is answered', async () => expect((await read(id)).message_count).toBe(count));

  it('simulates a person who answers from another id', async () => {
    const [asked, known] = ['5511987654321', '551187654321'];
    const order = { platform: 'whatsapp', recipient: asked, message: 'Your order is ready' };
    const { body } = await api<SendResultDto>('POST', '/messages/send', { ...order, options: { take_over: true } });
    const sent = (await api<MessageDto>('GET', `/messages/${body.data.message_id}`)).body.data;
    const content = 'thanks, can you deliver it?';
    const played = await play({ platform: 'whatsapp', sender: { id: known, other_id: asked, name: 'Bia' }, content });
    expect(played.conversation_id).toBe(sent.conversation_id);
    const conversation = await read(played.conversation_id);
    expect(conversation).toMatchObject({ participant: { id: known }, handling: 'human', message_count: 2 });
    await api('POST', '/messages/send', { ...order, message: 'At three' });
    expect((await read(played.conversation_id)).message_count).toBe(3);
  });

  it('simulates two conversations that belong to one person', async () => {
    const older = await play({ platform: 'telegram', sender: { id: '501' }, content: 'First' });
    const newer = await play({ platform: 'telegram', sender: { id: '502' }, content: 'Second' });
    const sender = { id: '502', other_id: '501' };
    const third = await play({ platform: 'telegram', sender, content: 'Third' });
    expect(third.conversation_id).toBe(older.conversation_id);
    expect(await read(newer.conversation_id)).toMatchObject({ merged_into: older.conversation_id, status: 'archived' });
  });

  it('simulates a group, a mention, a reply to the business, a tap and a topic', async () => {
    const group = { id: '-1001234', name: 'Depot' };
    const [ada, ben] = [
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Ben' },
    ];
    const platform = 'telegram';
    const first = await play({ platform, group, sender: ada, content: 'I take Monday' });
    await play({ platform, group, sender: ben, content: '@sandbox_bot who has Monday?' });
    await answered(first.conversation_id, 3);
    const { participant, messages } = await read(first.conversation_id);
    expect(participant).toEqual({ id: '-1001234', name: 'Depot', username: null });
    expect(messages!.map(({ sender }) => sender?.name)).toEqual(['Ada', 'Ben', undefined]);
    const reply_to = messages![2]!.id;
    await play({ platform, group, sender: ada, content: 'And Tuesday?', reply_to });
    await answered(first.conversation_id, 5);
    const options = [{ id: 'yes', title: 'Yes' }];
    const offer = { platform, recipient: group.id, message: 'All well?', interactive: { type: 'choice', options } };
    const { message_id } = (await api<SendResultDto>('POST', '/messages/send', offer)).body.data;
    await play({ platform, group, sender: ben, interactive_reply: { id: 'yes', message_id } });
    await answered(first.conversation_id, 8);
    const topic = { platform, group: { id: '-1001234/44' }, sender: ada };
    const inTopic = await play({ ...topic, content: '@sandbox_bot hello' });
    expect(inTopic.conversation_id).not.toBe(first.conversation_id);
    await answered(inTopic.conversation_id, 2);
    await play({ ...topic, content: 'No mention' });
    await api('POST', '/messages/send', { platform, recipient: '-1001234/44', message: 'Hello topic' });
    expect((await read(inTopic.conversation_id)).messages!.map(({ content }) => content).slice(2)).toEqual([
      'No mention',
      'Hello topic',
    ]);
  });
});
