import type { FormFile } from '#http-client';
import type { OutboundFile } from '../../media.port';
import type { OutboundPart, SendOptions } from '../../platform.port';
import { renderTelegramHtml } from '../../text/markdown-html';
import type { Place } from '../topics';
import { keyboardOf } from './keyboard';
import { DOCUMENT, formOf, type TelegramForm } from './file-forms';

/** One call of the Bot API that sends a part. */
export interface SendCall {
  method: string;
  fields: Record<string, unknown>;
  /** Uploaded with the call. */
  files: FormFile[];
}

export interface CallVariant extends Place {
  /** Without markup, after Telegram could not read it. */
  isPlain?: boolean;
  /** Files as documents, after Telegram could not show them as photos. */
  asDocuments?: boolean;
}

/** https://core.telegram.org/bots/api#available-methods */
export function callOf(options: SendOptions, part: OutboundPart, variant: CallVariant): SendCall {
  const common = {
    chat_id: variant.chat,
    message_thread_id: variant.thread,
    disable_notification: options.disableNotification || undefined,
    // Only the first part answers: quoting the same message above each part would be noise.
    reply_parameters: part.index === 0 ? replyParameters(options.replyTo) : undefined,
  };
  const { files = [] } = part;
  const forms = files.map((file) => (variant.asDocuments ? DOCUMENT : formOf(file)));
  const [file, ...more] = files;
  if (!file) {
    const preview = options.linkPreview ? undefined : { is_disabled: true };
    const text = markedUp('text', part.text, options, variant);
    return {
      method: 'sendMessage',
      fields: {
        ...common,
        ...text,
        link_preview_options: preview,
        reply_markup: part.interactive && keyboardOf(part.interactive),
      },
      files: [],
    };
  }
  const form = forms[0]!;
  const caption = part.text === '' ? {} : markedUp('caption', part.text, options, variant);
  if (more.length === 0) {
    const fields = { ...common, ...caption, ...details(file, form) };
    return { method: form.method, fields, files: [formFile(form.field, file)] };
  }
  const media = files.map((item, index) => ({
    type: forms[index]!.field,
    media: `attach://file${index}`,
    ...details(item, forms[index]!),
    ...(index === 0 && caption),
  }));
  return {
    method: 'sendMediaGroup',
    fields: { ...common, media },
    files: files.map((item, index) => formFile(`file${index}`, item)),
  };
}

function markedUp(name: 'text' | 'caption', text: string, { parseMode }: SendOptions, { isPlain }: CallVariant) {
  if (isPlain || parseMode === 'plain') return { [name]: text };
  return { [name]: parseMode === 'markdown' ? renderTelegramHtml(text) : text, parse_mode: 'HTML' };
}

function details({ width, height, durationSeconds }: OutboundFile, { field }: TelegramForm): Record<string, unknown> {
  const duration = durationSeconds === undefined ? undefined : Math.round(durationSeconds);
  if (field === 'video' || field === 'animation') return { width, height, duration };
  return field === 'audio' || field === 'voice' ? { duration } : {};
}

function formFile(name: string, file: OutboundFile): FormFile {
  const { filename, mimeType, sizeBytes } = file;
  return { name, filename, mimeType, sizeBytes, open: () => file.open() };
}

function replyParameters(platformMessageId: string | undefined): object | undefined {
  const id = Number(platformMessageId?.split(':').at(-1));
  return Number.isSafeInteger(id) ? { message_id: id, allow_sending_without_reply: true } : undefined;
}
