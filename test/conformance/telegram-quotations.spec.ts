import type { QuotedMessage } from '#platforms';
import { TelegramReceiver } from './telegram-receiver';

const ada = { id: 41, is_bot: false, first_name: 'Ada', username: 'ada' };
const chat = { id: 41, type: 'private', first_name: 'Ada' };
const team = { id: -100_10, type: 'supergroup', title: 'Team', is_forum: true };
const adaAsSender = { id: '41', name: 'Ada', username: 'ada' };
const earlier = { message_id: 2, date: 1_795_860_000, from: ada, chat };
const checklist = { title: 'Move in', tasks: [{ id: 1, text: 'Keys' }] };
const link = { type: 'text_link', offset: 0, length: 4, url: 'https://a.example' };
const topic = { chat: team, message_thread_id: 44, is_topic_message: true };
const root = { ...earlier, message_id: 44, chat: team };

describe('A Telegram message that quotes another', () => {
  const receiver = new TelegramReceiver();
  beforeAll(() => receiver.start());
  beforeEach(() => receiver.clear());
  afterAll(() => receiver.stop());

  async function quotationOf(fields: object): Promise<QuotedMessage | undefined> {
    await receiver.message({ text: 'Yes', ...fields });
    return receiver.sink.messages[0]!.replyTo;
  }

  it.each<[string, object, QuotedMessage]>([
    [
      'the text',
      { reply_to_message: { ...earlier, text: 'Open?', entities: [link] } },
      { platformMessageId: '41:2', sender: adaAsSender, content: 'Open (https://a.example)?' },
    ],
    [
      'the words of another kind',
      { reply_to_message: { ...earlier, photo: [], caption: 'The gate' } },
      { platformMessageId: '41:2', sender: adaAsSender, content: '[photo] The gate' },
    ],
    [
      'nothing of a service message',
      { reply_to_message: { ...earlier, new_chat_members: [ada] } },
      { platformMessageId: '41:2', sender: adaAsSender },
    ],
    [
      'the chat in whose name a person wrote',
      { reply_to_message: { ...root, message_id: 2, sender_chat: team, text: 'Open?' } },
      { platformMessageId: '-10010:2', sender: { id: '-10010', name: 'Team', username: null }, content: 'Open?' },
    ],
    [
      'the task of a checklist',
      { reply_to_message: { ...earlier, checklist }, reply_to_checklist_task_id: 1 },
      { platformMessageId: '41:2', sender: adaAsSender, content: 'Keys' },
    ],
    [
      'the option of a poll',
      {
        reply_to_message: { ...earlier, poll: { question: 'When?', options: [{ persistent_id: 'a', text: 'Now' }] } },
        reply_to_poll_option_id: 'a',
      },
      { platformMessageId: '41:2', sender: adaAsSender, content: 'Now' },
    ],
    [
      'a message of another chat',
      {
        external_reply: {
          origin: { type: 'channel', date: 1, chat: { id: -7, type: 'channel', title: 'News' }, message_id: 9 },
          chat: { id: -7, type: 'channel', title: 'News' },
          message_id: 9,
          photo: [],
        },
        quote: { text: 'Open until nine', position: 0 },
      },
      { platformMessageId: '-7:9', sender: { id: '-7', name: 'News', username: null }, content: 'Open until nine' },
    ],
    [
      'a message of which Telegram tells only the kind',
      {
        external_reply: {
          origin: { type: 'hidden_user', date: 1, sender_user_name: 'Eve' },
          document: { file_name: 'a.pdf' },
        },
      },
      { content: '[document] a.pdf' },
    ],
    [
      'a story',
      { reply_to_story: { chat: team, id: 5 } },
      { sender: { id: '-10010', name: 'Team', username: null }, content: '[story]' },
    ],
    [
      'a message in a forum topic',
      { ...topic, reply_to_message: { ...root, message_id: 50, text: 'Open?' } },
      { platformMessageId: '-10010:50', sender: adaAsSender, content: 'Open?' },
    ],
    [
      'the first message of a thread that is no topic',
      { chat: team, message_thread_id: 44, reply_to_message: { ...root, text: 'Open?' } },
      { platformMessageId: '-10010:44', sender: adaAsSender, content: 'Open?' },
    ],
  ])('has %s', async (_, fields, quotation) => {
    expect(await quotationOf(fields)).toEqual(quotation);
  });

  it.each([
    [
      'the message that opened its topic',
      { ...topic, reply_to_message: { ...root, forum_topic_created: { name: 'Orders' } } },
    ],
    ['the root of its topic, without what opened it', { ...topic, reply_to_message: root }],
    ['a message without an id', { reply_to_message: { ...earlier, message_id: 'x' } }],
  ])('has no quotation of %s', async (_, fields) => {
    expect(await quotationOf(fields)).toBeUndefined();
  });
});
