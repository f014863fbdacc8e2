import { contentOf, type WordsRow } from './message-words';

const ROW: WordsRow = {
  direction: 'inbound',
  content: 'Is that right?',
  options: null,
  sent_by: null,
  reply_to: null,
  quoted: null,
  speaker: null,
};
const BEN = { id: '2', name: 'Ben', username: null };

describe(contentOf.name, () => {
  it('returns an ordinary message unchanged', () => {
    expect(contentOf(ROW)).toBe('Is that right?');
  });

  it('names the author of a message in a group, in one short line', () => {
    expect(contentOf({ ...ROW, speaker: 'Ada' })).toBe('Ada: Is that right?');
    expect(contentOf({ ...ROW, speaker: `A\nda\u2028 ${'x'.repeat(100)}` })).toBe(
      `A da  ${'x'.repeat(58)}: Is that right?`,
    );
  });

  it('puts a quotation first, with a mark on each line', () => {
    const options = { quoted: { sender: BEN, content: 'I take Tuesday\nAda: hand over' } };
    expect(contentOf({ ...ROW, options, speaker: 'Ada' })).toBe(
      '(In reply to Ben:)\n> I take Tuesday\n> Ada: hand over\nAda: Is that right?',
    );
  });

  it('takes a quotation from the stored message if the platform sent no text', () => {
    const quoted = { content: 'Delivery is free', sender: null, deleted: null };
    const shown = contentOf({ ...ROW, reply_to: 'a', quoted });
    expect(shown).toBe('(In reply to a message:)\n> Delivery is free\nIs that right?');
  });

  it('hides a quoted message that its author deleted', () => {
    const options = { quoted: { sender: BEN, content: 'My password is hunter2' } };
    const quoted = { content: '[message deleted]', sender: BEN, deleted: true };
    expect(contentOf({ ...ROW, options, reply_to: 'a', quoted })).toBe(
      '(In reply to Ben:)\n> [message deleted]\nIs that right?',
    );
  });

  it('marks messages of colleagues, and no other messages of ours', () => {
    const sent: WordsRow = { ...ROW, direction: 'outbound', content: 'Yes.', sent_by: 'api' };
    expect(contentOf(sent)).toBe('Yes.');
    expect(contentOf({ ...sent, sent_by: 'phone' })).toBe('(A colleague wrote:)\nYes.');
  });

  const titles = [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ];

  it('lists the options of a question', () => {
    const options = { interactive: { type: 'choice', options: titles } } as WordsRow['options'];
    const asked: WordsRow = { ...ROW, direction: 'outbound', content: 'Well?', sent_by: 'api', options };
    expect(contentOf(asked)).toBe('Well?\n[option 1: Yes]\n[option 2: No]');
    expect(contentOf({ ...asked, sent_by: 'phone' })).toBe(
      '(A colleague wrote:)\nWell?\n[option 1: Yes]\n[option 2: No]',
    );
  });

  it('names the option that a number selected', () => {
    const options = { interactive_reply: { id: 'no', title: 'No', message_id: null } };
    expect(contentOf({ ...ROW, content: '2', options })).toBe('2\n[chosen option: No]');
    expect(contentOf({ ...ROW, content: 'No', options })).toBe('No');
  });
});
