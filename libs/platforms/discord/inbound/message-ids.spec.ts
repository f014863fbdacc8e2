import type { APIMessage } from 'discord.js';
import { withStringIds } from './message-ids';

const read = (message: unknown): unknown => withStringIds(message as APIMessage);

describe(withStringIds.name, () => {
  it('converts numeric ids to strings in all fields that hold an id', () => {
    const answered = { id: 8, author: { id: 42 }, content: 'before' };
    const message = { id: 9, channel_id: 77, guild_id: 900, type: 19, author: { id: 41 }, mentions: [{ id: 42 }] };
    expect(read({ ...message, referenced_message: answered })).toEqual({
      id: '9',
      channel_id: '77',
      guild_id: '900',
      type: 19,
      author: { id: '41' },
      mentions: [{ id: '42' }],
      referenced_message: { id: 8, author: { id: '42' }, content: 'before' },
    });
  });

  it.each([
    { id: '9', channel_id: '77', author: { id: '41' }, mentions: [] },
    // The JSON parser rounded it: it names another object.
    { id: 2 ** 60, author: null, mentions: null, referenced_message: null },
    { id: {}, channel_id: [], author: 'ada', mentions: [null, 'x'] },
  ])('returns %j unchanged', (message) => {
    expect(read(message)).toEqual(message);
  });

  it('returns other values unchanged', () => {
    expect(read(null)).toBeNull();
  });
});
