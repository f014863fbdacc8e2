import type { WhatsAppMedia } from './whatsapp-media';
import type { WhatsAppTemplates } from './whatsapp-templates';
import { readInteractive } from './whatsapp-interactive';
import { WhatsAppFailure, type WhatsAppSent } from './whatsapp-types';

/** Longest body of a text message, in characters. */
const MAX_BODY = 4_096;
/** Marked text lies within one line, and neither begins nor ends with a space. */
const MARKED = /(?<![\w*_~`])([*_~`])(?=[^\s*_~`])([^\n*_~`]*[^\s*_~`])\1(?![\w*_~`])/g;
const PHONE = /^\+?[\d\s()-]+$/;
/** `capi_group:` in base64. */
const GROUP = /^Y2FwaV9ncm91cDo/;
const CODE = /```([\s\S]+?)```/g;

/** Reads a call that sends a message. @throws WhatsAppFailure if the Graph API refuses it */
export function readSend(
  params: Record<string, unknown>,
  media: WhatsAppMedia,
  templates: WhatsAppTemplates,
): Omit<WhatsAppSent, 'id' | 'params' | 'at'> {
  const { messaging_product: product, recipient_type: kind, to, recipient, type, text, template, context } = params;
  const { biz_opaque_callback_data: data } = params;
  if (product !== 'whatsapp') throw invalid("Parameter 'messaging_product' must be 'whatsapp'");
  const address = [to, recipient].find((value) => typeof value === 'string' && value !== '');
  if (typeof address !== 'string') throw new WhatsAppFailure(400, 131_009, 'Parameter value is not valid');
  if (typeof to === 'string' && !(kind === 'group' ? GROUP : PHONE).test(to))
    throw invalid("'to' is no phone number or group");
  if (type === 'interactive') {
    // https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging
    if (kind === 'group') throw new WhatsAppFailure(400, 131_051, 'Unsupported message type');
    return {
      to: address,
      text: readInteractive(params['interactive']),
      formatted: false,
      repliesTo: undefined,
      previewUrl: false,
      callbackData: data as string | undefined,
    };
  }
  if (type === 'template')
    return {
      to: address,
      text: templates.read(template as object),
      formatted: false,
      repliesTo: undefined,
      previewUrl: false,
      callbackData: data as string | undefined,
    };
  if (data !== undefined && (typeof data !== 'string' || data.length > 512)) throw invalid('biz_opaque_callback_data');
  const sent = typeof type === 'string' ? media.sent(type, params[type]) : undefined;
  const { body, preview_url: previewUrl } = (text ?? {}) as { body?: unknown; preview_url?: unknown };
  const source = sent?.caption ?? body;
  if (!sent && type !== 'text') throw invalid("'type' is not known");
  if (typeof source !== 'string' || (!sent && source.trim() === '')) throw invalid("'text.body' is required");
  if (source.length > MAX_BODY) throw invalid(`'text.body' is longer than ${MAX_BODY} characters`);
  const shown = source.replace(CODE, '$1').replace(MARKED, '$2');
  return {
    to: address,
    text: shown,
    formatted: shown !== source,
    repliesTo: (context as { message_id?: string } | undefined)?.message_id,
    previewUrl: previewUrl === true,
    callbackData: data,
    ...(sent && { file: sent.file }),
  };
}

function invalid(details: string): WhatsAppFailure {
  return new WhatsAppFailure(400, 100, 'Invalid parameter', details);
}
