import { choiceOf, keyOf, numberedText, planInteractive } from './interactive';
import type { Interactive } from './interactive.port';
import { canShowInteractive, interactiveOf } from './whatsapp/outbound/interactive';
import { keyboardOf } from './telegram/outbound/keyboard';
import { componentsOf } from './discord/outbound/components';

const CHOICE: Interactive = {
  type: 'choice',
  options: [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ],
};
const LIST: Interactive = {
  type: 'list',
  button: 'Times',
  options: Array.from({ length: 10 }, (_, n) => ({ id: `id ${n}`, title: `Row ${n}`, description: `About ${n}` })),
};
const LINK = { id: 'site', title: 'Open', url: 'https://example.com/' };
const LINKED: Interactive = { type: 'choice', options: [CHOICE.options[0]!, LINK] };

describe('the options of a message', () => {
  it('WhatsApp shows as buttons, a list or a link', () => {
    expect(interactiveOf('Well?', CHOICE)).toEqual({
      type: 'button',
      body: { text: 'Well?' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
          { type: 'reply', reply: { id: 'no', title: 'No' } },
        ],
      },
    });
    expect(interactiveOf('When?', LIST)).toMatchObject({
      type: 'list',
      action: { button: 'Times', sections: [{ rows: LIST.options }] },
    });
    expect(interactiveOf('Look', { type: 'choice', options: [LINK] })).toEqual({
      type: 'cta_url',
      body: { text: 'Look' },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/' } },
    });
    expect([CHOICE, LIST, LINKED].map(canShowInteractive)).toEqual([true, true, false]);
  });

  it('Telegram shows as an inline keyboard', () => {
    expect(keyboardOf(LINKED)).toEqual({
      inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }], [{ text: 'Open', url: 'https://example.com/' }]],
    });
  });

  it('Discord shows as buttons in rows of five, or as a menu', () => {
    expect(componentsOf(LINKED)).toEqual([
      {
        type: 1,
        components: [
          { type: 2, style: 2, label: 'Yes', custom_id: 'yes' },
          { type: 2, style: 5, label: 'Open', url: 'https://example.com/' },
        ],
      },
    ]);
    const [row] = componentsOf(LIST);
    expect(row).toMatchObject({ type: 1, components: [{ type: 3, placeholder: 'Times' }] });
    expect(
      componentsOf({ ...LIST, options: LIST.options.map((option) => ({ ...option, url: LINK.url })) }),
    ).toHaveLength(2);
  });

  it('are numbered lines if the platform cannot show buttons', () => {
    expect(numberedText('Well?', LINKED)).toBe('Well?\n\n1. Yes\n2. Open – https://example.com/');
    const split = (text: string) => [{ index: 0, text }];
    const content = {
      recipient: '1',
      text: 'Well?',
      options: { parseMode: 'plain', disableNotification: false, linkPreview: true },
    } as const;
    const form = { split, canShow: canShowInteractive, describes: () => false };
    expect(planInteractive(content, LINKED, form)).toMatchObject({ isNumbered: true, parts: [{ index: 0 }] });
    expect(planInteractive(content, LIST, form)).toMatchObject({ parts: [{ interactive: LIST }] });
  });

  it('are sent by position if their id is too long for the platform', () => {
    expect(keyOf({ id: 'ä'.repeat(32), title: '' }, 1, 64)).toBe('ä'.repeat(32));
    expect(keyOf({ id: 'ä'.repeat(33), title: '' }, 1, 64)).toBe('#1');
    expect([choiceOf('#1'), choiceOf('yes'), choiceOf(keyOf({ id: '#7', title: '' }, 2, 64))]).toEqual([
      { index: 1 },
      { id: 'yes' },
      { index: 2 },
    ]);
  });
});
