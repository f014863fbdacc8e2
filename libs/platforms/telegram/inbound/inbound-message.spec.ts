import { UnreadableError } from '../../fault-words';
import { readMessage } from './inbound-message';

const bot = { id: 9, is_bot: true, first_name: 'Gateway', username: 'Gateway_Bot' };
const ada = { id: 1, is_bot: false, first_name: 'Ada', last_name: 'L', username: 'ada' };
const privately = { message_id: 3, date: 1_700_000_000, from: ada, chat: { ...ada, type: 'private' as const } };
const team = { id: -10, type: 'supergroup' as const, title: 'Team', username: 'team' };

function read(fields: object): ReturnType<typeof readMessage> {
  return readMessage({ ...privately, ...fields });
}
function messageOf(fields: object) {
  const received = read(fields);
  if (!received || !('message' in received)) throw new Error('nothing to store');
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

  it('expects no reply to another bot, lest the two talk for ever', () => {
    expect(messageOf({ from: { ...ada, is_bot: true }, text: 'Hello' }).expectsReply).toBe(false);
  });

  const place = { latitude: 52.5, longitude: 13.4 };
  it.each([
    [{ photo: [], caption: 'Look' }, 'image', '[photo] Look'],
    [{ photo: [] }, 'image', '[photo]'],
    [{ animation: {}, document: { file_name: 'a.mp4' } }, 'video', '[animation]'],
    [{ video_note: {} }, 'video', '[video message]'],
    [{ voice: {} }, 'audio', '[voice message]'],
    [{ audio: { performer: 'Nina', title: 'Song' } }, 'audio', '[audio] Nina Song'],
    [{ document: { file_name: 'plan.pdf' }, caption: 'Read' }, 'document', '[document] plan.pdf Read'],
    [{ sticker: { emoji: '😀' } }, 'sticker', '[sticker] 😀'],
    [{ location: place }, 'location', '[location] 52.5, 13.4'],
    [
      { location: place, venue: { location: place, title: 'Bar', address: 'Street 1' } },
      'location',
      '[venue] Bar Street 1 52.5, 13.4',
    ],
    [{ contact: { first_name: 'Bob', phone_number: '+49' } }, 'contact', '[contact] Bob +49'],
    [
      { poll: { question: 'When?', options: [{ text: 'Now' }, { text: 'Later' }] } },
      'other',
      '[poll] When? Now / Later',
    ],
    [{ dice: { emoji: '🎲', value: 3 } }, 'other', '[dice] 🎲 3'],
  ])('describes what is not text: %j', (fields, kind, content) => {
    expect(messageOf(fields)).toMatchObject({ kind, content });
  });

  it('leaves out what cannot be stored', () => {
    expect(messageOf({ text: 'a\u0000b\uD800' }).content).toBe('ab\uFFFD');
  });

  it('stores no message that no person wrote', () => {
    expect(read({ new_chat_members: [ada] })).toBeUndefined();
    expect(read({ text: '\u0000' })).toBeUndefined();
  });

  it('reports that a group has a new id', () => {
    expect(read({ chat: team, migrate_to_chat_id: -100 })).toEqual({ migration: { from: '-10', to: '-100' } });
  });

  it('takes an id that is a string', () => {
    expect(messageOf({ message_id: '88', text: 'Hello' }).platformMessageId).toBe('1:88');
  });

  it.each([
    { chat: undefined },
    { date: 1.5 },
    { message_id: undefined },
    { message_id: '8a' },
    { message_id: [7] },
    { message_id: 2 ** 53 },
  ])('refuses a message with %j', (fields) => {
    expect(() => read({ text: 'Hello', ...fields })).toThrow(UnreadableError);
  });

  it('takes a message that does not say when it was written, or what kind of chat it is in', () => {
    const delivery = read({ text: 'Hello', date: undefined, chat: { id: 41, first_name: 'Ada' } });
    expect(delivery).toMatchObject({
      message: { content: 'Hello', participant: { id: '41', name: 'Ada' }, expectsReply: true },
    });
  });
});
