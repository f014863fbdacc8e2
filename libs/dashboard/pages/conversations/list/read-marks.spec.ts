import type { ConversationItem } from '#client';
import { isUnread, readMarks } from './read-marks';

const AT = '2126-11-25T12:00:00.000Z';
const LATER = '2126-11-25T12:00:01.000Z';
const conversation = (last_message_at: string, direction: 'inbound' | 'outbound' = 'inbound') =>
  ({ id: 'conv_1', last_message_at, last_message: { direction } }) as ConversationItem;

describe(isUnread.name, () => {
  it('is true if the person wrote since the conversation was last opened', () => {
    const unread = (item: ConversationItem) => isUnread(readMarks.get(), item);
    expect(unread(conversation('2020-01-01T00:00:00.000Z'))).toBe(false);
    expect(unread(conversation(AT, 'outbound'))).toBe(false);
    expect(unread(conversation(AT))).toBe(true);
    readMarks.mark('conv_1', AT);
    expect(unread(conversation(AT))).toBe(false);
    expect(unread(conversation(LATER))).toBe(true);
    readMarks.mark('conv_1', '2126-11-25T11:00:00.000Z');
    expect(unread(conversation(AT))).toBe(false);
  });
});
