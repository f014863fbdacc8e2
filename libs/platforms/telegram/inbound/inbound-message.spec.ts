import { UnreadableError } from '../../fault-words';
import { readMessage } from './inbound-message';

const bot = { id: 9, is_bot: true, first_name: 'Gateway', username: 'Gateway_Bot' };
const ada = { id: 1, is_bot: false, first_name: 'Ada', last_name: 'L', username: 'ada' };
const privately = { message_id: 3, date: 1_700_000_000, from: ada, chat: { ...ada, type: 'private' as const } };
const team = { id: -10, type: 'supergroup' as const, title: 'Team', username: 'team' };

function read(fields: object): ReturnType<typeof readMessage> {
  return readMessage({ ...privately, ...fields }, bot);
}
function messageOf(fields: object) {
  const received = read(fields);
  if (!('message' in received)) throw new Error('nothing to store');
  return received.message;
}

describe(readMessage.name, () => {
  it('reads a private message', () => {
    expect(read({ text: 'Hello' })).toEqual({
      message: {
        platformMessageId: '1:3',
        participant: { id: '1', name: 'Ada L', username: 'ada' },
        sender: { id: '1', name: 'Ada L', username: 'ada' },
        content: 'Hello',
        kind: 'text',
        sentAt: new Date(1_700_000_000_000),
        expectsReply: true,
      },
    });
  });

  it('recognises a message in a group that mentions the bot', () => {
    const words = '@gateway_bot who has Tuesday?';
    const messages = [
      { text: 'I take Tuesday' },
      { text: words, entities: [{ type: 'mention', offset: 0, length: 12 }] },
      { caption: words, caption_entities: [{ type: 'mention', offset: 0, length: 12 }], photo: [] },
      { text: 'Gateway?', entities: [{ type: 'text_mention', offset: 0, length: 7, user: bot }] },
      { text: 'And Monday?', reply_to_message: { ...privately, chat: team, message_id: 2, from: bot, text: 'Ben' } },
      { text: '@other_bot hello', entities: [{ type: 'mention', offset: 0, length: 10 }] },
      { text: 'no entities, @Gateway_bot!' },
      { text: 'no entities, @gateway_bots' },
    ];
    const expected = [false, true, true, true, true, false, true, false];
    expect(messages.map((message) => messageOf({ ...message, chat: team }).mentionsBot)).toEqual(expected);
    expect(messages.map((message) => messageOf(message).mentionsBot)).toEqual(expected.map(() => undefined));
  });

  it.each([
    ['a mention', { type: 'mention', text: '@gateway_bot', username: 'gateway_bot' }, true],
    ['a command', { type: 'bot_command', text: '/help@gateway_bot', bot_command: '/help@gateway_bot' }, true],
    ['a mention without a name', { type: 'bold', text: [{ type: 'text_mention', text: 'Gateway', user: bot }] }, true],
    ['a mention of another bot', { type: 'mention', text: '@other_bot', username: 'other_bot' }, false],
    ['a command without a name', { type: 'bot_command', text: '/help', bot_command: '/help' }, false],
    ['a mention of an unknown form', { type: 'mention', text: '@gateway_bot', username: 5, user: null }, false],
    ['a name in code', { type: 'code', text: '@gateway_bot' }, false],
  ])('tells whether a rich message with %s mentions the bot', (_, node, expected) => {
    const rich_message = {
      blocks: [{ type: 'list', items: [{ blocks: [{ type: 'paragraph', text: [node, ' hi'] }] }] }],
    };
    expect(messageOf({ rich_message, chat: team }).mentionsBot).toBe(expected);
  });

  it('does not take the message that opened a topic for one of the bot that is answered', () => {
    const opened = { ...privately, chat: team, from: bot };
    const inTopic = { chat: team, message_thread_id: 44, is_topic_message: true, text: 'I take Tuesday' };
    const created = { ...opened, message_id: 44, forum_topic_created: { name: 'Plan', icon_color: 0 } };
    expect(messageOf({ ...inTopic, reply_to_message: created }).mentionsBot).toBe(false);
    expect(messageOf({ ...inTopic, reply_to_message: { ...opened, message_id: 44 } }).mentionsBot).toBe(false);
    expect(messageOf({ ...inTopic, reply_to_message: { ...opened, message_id: 45 } }).mentionsBot).toBe(true);
  });

  it.each([
    ['a topic of a group', team, 44, true, '-10/44'],
    ['a thread of replies', team, 44, undefined, '-10'],
    ['the General topic', team, 1, true, '-10'],
    ['a topic of a private chat', privately.chat, 44, true, '1/44'],
    ['the first topic of a private chat', privately.chat, 1, true, '1/1'],
  ])('has a conversation for %s', (_, chat, message_thread_id, is_topic_message, id) => {
    expect(messageOf({ chat, message_thread_id, is_topic_message, text: 'Hi' }).participant.id).toBe(id);
  });

  it('distinguishes the group from the person who wrote in it', () => {
    expect(messageOf({ chat: team, text: 'Hello' })).toMatchObject({
      platformMessageId: '-10:3',
      participant: { id: '-10', name: 'Team', username: 'team' },
      sender: { id: '1', name: 'Ada L', username: 'ada' },
    });
    const anonymous = { chat: team, sender_chat: team, from: { ...ada, is_bot: true }, text: 'Hello' };
    expect(messageOf(anonymous).sender).toEqual({ id: '-10', name: 'Team', username: 'team' });
  });

  it.each([
    ['nobody in particular', { text: 'Hello' }],
    ['somebody else', { text: 'Hi @gateway_bob', entities: [{ type: 'mention', offset: 3, length: 12 }] }],
    ['the bot', { text: 'Yes', reply_to_message: { from: bot } }],
    ['all, by an anonymous administrator', { text: 'Hi', sender_chat: team, from: { ...ada, is_bot: true } }],
  ])('expects a reply to a message in a group for %s', (_, fields) => {
    expect(messageOf({ chat: team, ...fields }).expectsReply).toBe(true);
  });

  it('expects no reply to a post of a channel that is copied to its group', () => {
    const channel = { id: -11, type: 'channel' as const, title: 'News' };
    const copied = { chat: team, sender_chat: channel, is_automatic_forward: true, text: 'News' };
    expect(messageOf(copied).expectsReply).toBe(false);
  });

  it('expects no reply to another bot, so two bots cannot talk forever', () => {
    expect(messageOf({ from: { ...ada, is_bot: true }, text: 'Hello' }).expectsReply).toBe(false);
  });

  it('removes text that cannot be stored', () => {
    expect(messageOf({ text: 'a\u0000b\uD800' }).content).toBe('ab\uFFFD');
  });

  it('names the field that makes a message a service message', () => {
    expect(read({ new_chat_members: [ada] })).toEqual({ ignored: 'new_chat_members' });
  });

  it('skips a message with no content that can be stored', () => {
    expect(read({ text: '\u0000' })).toEqual({ ignored: 'empty_message' });
  });

  it.each([
    ['a kind that is new', { hologram_note: { file_id: 'h1' } }, '[unsupported message: hologram_note]'],
    ['a name with odd characters', { ['new\u0000 kind"\n']: true }, '[unsupported message: newkind]'],
    ['a long name', { ['k'.repeat(500)]: true }, `[unsupported message: ${'k'.repeat(40)}]`],
    ['no field of its own', { has_protected_content: true }, '[unsupported message: unknown]'],
    ['a name of every object', { constructor: 5 }, '[unsupported message: constructor]'],
  ])('stores a message with %s without answering it', (_, fields, content) => {
    expect(messageOf(fields)).toMatchObject({ kind: 'other', content, expectsReply: false });
  });

  it.each([
    ['a checklist', { checklist: { title: 5, tasks: 'none' }, caption: 'Look' }, '[checklist] Look'],
    ['a poll', { poll: {} }, '[poll]'],
    ['a rich message', { rich_message: 7 }, '[rich message]'],
    ['a photo', { photo: [null], caption: 'Look', caption_entities: 'none' }, '[photo] Look'],
    ['a quotation', { text: 'Yes', reply_to_message: { text: 'no chat' }, quote: 5 }, 'Yes'],
  ])('keeps the message if %s has an unknown form', (_, fields, content) => {
    expect(messageOf(fields).content).toBe(content);
  });

  it('recognises ephemeral messages by the id 0, and does not answer them in front of the group', () => {
    const ephemeral = (id: number) => messageOf({ message_id: 0, ephemeral_message_id: id, text: 'Hello' });
    expect(ephemeral(5)).toMatchObject({ platformMessageId: '1:0:5.1700000000', expectsReply: false });
    expect(ephemeral(6).platformMessageId).toBe('1:0:6.1700000000');
  });

  it('reports that a group has a new id', () => {
    expect(read({ chat: team, migrate_to_chat_id: -100 })).toEqual({ migration: { from: '-10', to: '-100' } });
  });

  it('accepts a string as id', () => {
    expect(messageOf({ message_id: '88', text: 'Hello' }).platformMessageId).toBe('1:88');
  });

  it.each([
    { chat: undefined },
    { date: 1.5 },
    { message_id: undefined },
    { message_id: '8a' },
    { message_id: [7] },
    { message_id: 2 ** 53 },
  ])('rejects a message with %j', (fields) => {
    expect(() => read({ text: 'Hello', ...fields })).toThrow(UnreadableError);
  });

  it('accepts a message without a date or a chat type', () => {
    const delivery = read({ text: 'Hello', date: undefined, chat: { id: 41, first_name: 'Ada' } });
    expect(delivery).toMatchObject({
      message: { content: 'Hello', participant: { id: '41', name: 'Ada' }, expectsReply: true },
    });
  });
});
