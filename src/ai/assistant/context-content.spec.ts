import { contentOf } from './reply-context.service';

describe(contentOf.name, () => {
  const outbound = { direction: 'outbound', content: 'Well?', sent_by: 'api' } as const;
  const inbound = { direction: 'inbound', sent_by: null } as const;
  const options = [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ];

  it('names the options of a question', () => {
    const asked = { ...outbound, options: { interactive: { type: 'choice', options } } };
    expect(contentOf(asked)).toBe('Well?\n[option 1: Yes]\n[option 2: No]');
    expect(contentOf({ ...asked, sent_by: 'phone' })).toBe(
      '(A colleague wrote:)\nWell?\n[option 1: Yes]\n[option 2: No]',
    );
  });

  it('names the option that a number chose', () => {
    const chosen = { interactive_reply: { id: 'no', title: 'No', message_id: null } };
    expect(contentOf({ ...inbound, content: '2', options: chosen })).toBe('2\n[chosen option: No]');
    expect(contentOf({ ...inbound, content: 'No', options: chosen })).toBe('No');
  });

  it('leaves other messages as they are', () => {
    expect(contentOf({ ...inbound, content: '2', options: null })).toBe('2');
    expect(contentOf({ ...outbound, options: { parse_mode: 'plain' } })).toBe('Well?');
  });
});
