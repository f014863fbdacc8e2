import { WhatsAppFailure } from './whatsapp-types';

interface Row {
  id?: string;
  title?: string;
  description?: string;
}

interface Sent {
  type?: string;
  body?: { text?: string };
  action?: {
    button?: string;
    buttons?: { reply?: Row }[];
    sections?: { rows?: Row[] }[];
    parameters?: { display_text?: string; url?: string };
  };
}

/**
 * The text above the options of a message. @throws WhatsAppFailure if the Graph API refuses them:
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages
 */
export function readInteractive(sent: unknown): string {
  const { type, body, action } = (sent ?? {}) as Sent;
  const text = body?.text ?? '';
  check('body.text', text, 1_024);
  if (type === 'button') readButtons((action?.buttons ?? []).map(({ reply }) => reply ?? {}));
  else if (type === 'list')
    readRows(
      action?.button,
      (action?.sections ?? []).flatMap(({ rows }) => rows ?? []),
    );
  else if (type === 'cta_url') check('action.parameters.display_text', action?.parameters?.display_text, 20);
  else throw invalid('interactive.type');
  return text;
}

function readButtons(buttons: readonly Row[]): void {
  if (buttons.length < 1 || buttons.length > 3) throw invalid('action.buttons');
  for (const { id, title } of buttons) {
    check('reply.id', id, 256);
    check('reply.title', title, 20);
  }
}

function readRows(button: string | undefined, rows: readonly Row[]): void {
  check('action.button', button, 20);
  if (rows.length < 1 || rows.length > 10) throw invalid('action.sections');
  for (const { id, title, description } of rows) {
    check('row.id', id, 200);
    check('row.title', title, 24);
    if (description !== undefined) check('row.description', description, 72);
  }
}

function check(name: string, value: string | undefined, longest: number): void {
  if (typeof value !== 'string' || value.trim() === '' || [...value].length > longest) throw invalid(name);
}

function invalid(details: string): WhatsAppFailure {
  return new WhatsAppFailure(400, 100, 'Invalid parameter', details);
}
