import type { Interactive } from '../../interactive.port';

/** The words on the button of a list without `button`. */
const LIST_BUTTON = 'Options';

/** Longest text above buttons or a list. */
export const MAX_BODY = 1_024;

/** WhatsApp has no form for links beside buttons, or for several links. */
export function canShowInteractive({ options }: Interactive): boolean {
  return options.length === 1 || options.every(({ url }) => url === undefined);
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages#interactive-messages */
export function interactiveOf(text: string, { type, options, button = LIST_BUTTON }: Interactive): object {
  const body = { text };
  const [first] = options;
  if (first?.url !== undefined) {
    const parameters = { display_text: first.title, url: first.url };
    return { type: 'cta_url', body, action: { name: 'cta_url', parameters } };
  }
  if (type === 'choice') {
    const buttons = options.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
    return { type: 'button', body, action: { buttons } };
  }
  const rows = options.map(({ id, title, description }) => ({ id, title, ...(description && { description }) }));
  return { type: 'list', body, action: { button, sections: [{ rows }] } };
}
