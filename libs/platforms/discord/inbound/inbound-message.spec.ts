import type { APIMessage } from 'discord.js';
import { UnreadableError } from '../../fault-words';
import { readMessage } from './inbound-message';

const ADA = { id: '41', username: 'ada', global_name: 'Ada' };
const BOT = { id: '4242', username: 'gateway_bot', global_name: null, bot: true };

/** Only the fields that are read; Discord sends many more. */
function message(fields: Record<string, unknown>): APIMessage {
  const usual = { id: '9', channel_id: '77', type: 0, timestamp: '2026-02-03T04:05:06.789000+00:00', author: ADA };
  return { ...usual, content: '', attachments: [], embeds: [], mentions: [], ...fields } as unknown as APIMessage;
}

describe(readMessage.name, () => {
  const direct = { bot: BOT };
  const guild = { ...direct, channel: { name: 'general' } };

  it('reads a direct message', () => {
    expect(readMessage(message({ content: 'Hello' }), direct)).toEqual({
      platformMessageId: '9',
      participant: { id: '41', name: 'Ada', username: 'ada' },
      sender: { id: '41', name: 'Ada', username: 'ada' },
      kind: 'text',
      content: 'Hello',
      sentAt: new Date('2026-02-03T04:05:06.789Z'),
      address: '77',
      expectsReply: true,
    });
  });

  it.each([
    [
      { attachments: [{ filename: 'cat.png', content_type: 'image/png' }], content: 'look' },
      'image',
      '[image cat.png] look',
    ],
    [{ attachments: [{ filename: 'a.zip' }] }, 'document', '[document a.zip]'],
    [{ attachments: [{ filename: 'a.bin', content_type: 'constructor/x' }] }, 'document', '[document a.bin]'],
    [{ attachments: [{ filename: 'v.ogg', content_type: 'audio/ogg' }], flags: 1 << 13 }, 'audio', '[voice message]'],
    [{ sticker_items: [{ name: 'Wave' }] }, 'sticker', '[sticker Wave]'],
    [{ poll: { question: { text: 'Lunch?' } } }, 'other', '[poll] Lunch?'],
    [{ message_snapshots: [{ message: { content: 'old news' } }] }, 'other', '[forwarded] old news'],
    [{ embeds: [{ title: 'Build passed' }] }, 'other', '[embed] Build passed'],
    [{ content: '<@!4242> hi <@41>', mentions: [BOT, ADA] }, 'text', '@gateway_bot hi @ada'],
    [{ content: '<@4242> hi <@41>', mentions: [{ id: '4242' }, { id: '41' }] }, 'text', '@gateway_bot hi <@41>'],
    [{ content: 'hi <@!4242>', mentions: undefined }, 'text', 'hi @gateway_bot'],
    [{ content: null, attachments: [{ filename: 'a.zip' }] }, 'document', '[document a.zip]'],
  ])('describes %j in words', (fields, kind, content) => {
    expect(readMessage(message(fields), direct)).toMatchObject({ kind, content });
  });

  it.each([
    ['its own', { author: BOT, content: 'me' }],
    ['a notice', { type: 7, content: 'joined' }],
  ])('omits %s', (_what, fields) => {
    expect(readMessage(message(fields), direct)).toBeUndefined();
  });

  it.each([{}, { content: null, mentions: null, attachments: null }])(
    'marks %j as a message without text',
    (fields) => {
      expect(readMessage(message(fields), direct)).toMatchObject({
        content: '[unsupported message: empty]',
        expectsReply: false,
      });
    },
  );

  it.each([
    ['a mention', { mentions: [BOT] }, true],
    ['a reply to the bot', { referenced_message: { author: BOT } }, true],
    ['any other message', {}, false],
  ])('tells %s in a guild channel', (_, fields, mentionsBot) => {
    expect(readMessage(message({ content: 'x', ...fields }), guild)?.mentionsBot).toBe(mentionsBot);
    expect(readMessage(message({ content: 'x', ...fields }), direct)?.mentionsBot).toBeUndefined();
  });

  it.each([
    ['<@4242> you', undefined, true],
    ['<@!4242> you', undefined, true],
    ['<@42> you', undefined, false],
    ['<@4242> you', [], false],
  ])('reads the content %j when the mentions list is missing (%j)', (content, mentions, mentionsBot) => {
    expect(readMessage(message({ content, mentions }), guild)?.mentionsBot).toBe(mentionsBot);
  });

  it('never replies to a bot, so two bots cannot talk forever', () => {
    const robot = { ...ADA, bot: true };
    expect(readMessage(message({ content: 'x', author: robot }), direct)?.expectsReply).toBe(false);
    expect(readMessage(message({ content: 'x', webhook_id: '1' }), guild)).toMatchObject({
      expectsReply: false,
    });
  });

  it.each([
    ['a text', { content: 'Hello' }, '41 Hello'],
    ['an attachment', { attachments: [{ filename: 'a.zip' }] }, '41 [document a.zip]'],
    ['nothing', {}, '41 [unsupported message: empty]'],
  ])('reads %s from a server that omits empty fields', (_what, fields, read) => {
    const sparse = { id: '9', channel_id: '77', author: ADA, ...fields } as unknown as APIMessage;
    const received = readMessage(sparse, guild);
    expect(received && `${received.sender.id} ${received.content}`).toBe(read);
    expect(received?.mentionsBot).toBe(false);
  });

  it('reads null as a missing field', () => {
    const sparse = message({ content: 'x', timestamp: null, webhook_id: null });
    const received = readMessage(sparse, direct);
    expect([received?.expectsReply, received?.sentAt.getTime()]).toEqual([true, Number.NaN]);
  });

  it.each([{ id: 9 }, { channel_id: 77 }, { author: { ...ADA, id: 41 } }, { id: undefined }, { id: '9a' }])(
    'rejects a message with the id %j',
    (fields) => {
      expect(() => readMessage(message({ content: 'x', ...fields }), direct)).toThrow('it lacks an id');
    },
  );

  it('rejects a message without a date', () => {
    expect(() => readMessage(message({ content: 'x', timestamp: 'never' }), direct)).toThrow(UnreadableError);
  });
});
