import type { CallLimits } from '#http-client';
import type { OutboundPart, PartAccepted, PartOutcome, SendOptions, SendRequest } from '../../platform.port';
import { renderTelegramHtml } from '../../text/markdown-html';
import { refused } from '../../refusal';
import type { BotApi, Payload } from '../bot-api';
import { connectionError } from '../connection-faults';
import { messageIdOf } from '../inbound/inbound-message';
import { migratedTo, refusalOf, rejectsMarkup } from './send-outcomes';

type TextMessage = Payload<'sendMessage'>;

/** Sends text: https://core.telegram.org/bots/api#sendmessage */
export class Sender {
  constructor(
    private readonly api: BotApi,
    private readonly deadlineMs: number,
    /** Told of every refusal that the token may be to blame for. */
    private readonly tokenRefused: () => void,
  ) {}

  async send(
    { recipient, options, mayWrite }: SendRequest,
    part: OutboundPart,
    signal: AbortSignal,
  ): Promise<PartOutcome> {
    if (signal.aborted)
      return refused('platform_unavailable', 'the sending was called off before anything was written');
    const payload = payloadOf(recipient, options, part);
    const post = async (chat: number | string): Promise<Pick<PartAccepted, 'platformMessageId' | 'asPlainText'>> => {
      try {
        return { platformMessageId: await this.post({ ...payload, chat_id: chat }, { signal, mayWrite }) };
      } catch (error) {
        if (!payload.parse_mode || !rejectsMarkup(error)) throw error;
        const plain = { ...payload, chat_id: chat, text: part.text, parse_mode: undefined };
        return { platformMessageId: await this.post(plain, { signal, mayWrite }), asPlainText: true };
      }
    };
    try {
      return { accepted: true, ...(await post(payload.chat_id)) };
    } catch (error) {
      if (connectionError(error).fatal) this.tokenRefused();
      const moved = migratedTo(error);
      if (moved === undefined) return refusalOf(error);
      return post(moved).then((posted) => ({ accepted: true, ...posted, migratedTo: String(moved) }), refusalOf);
    }
  }

  private async post(payload: TextMessage, limits: Omit<CallLimits, 'deadlineMs'>): Promise<string> {
    const message = await this.api.call('sendMessage', payload, { ...limits, deadlineMs: this.deadlineMs });
    // Some servers do not repeat the chat: then it is the one that was asked for.
    return messageIdOf({ message_id: message.message_id, chat: message.chat ?? { id: payload.chat_id } });
  }
}

function payloadOf(recipient: string, options: SendOptions, { index, text }: OutboundPart): TextMessage {
  const markdown = options.parseMode === 'markdown';
  return {
    chat_id: chatId(recipient),
    text: markdown ? renderTelegramHtml(text) : text,
    parse_mode: options.parseMode === 'plain' ? undefined : 'HTML',
    disable_notification: options.disableNotification || undefined,
    link_preview_options: options.linkPreview ? undefined : { is_disabled: true },
    // Only the first part answers: quoting the same message above each part would be noise.
    reply_parameters: index === 0 ? replyParameters(options.replyTo) : undefined,
  };
}

function chatId(recipient: string): number | string {
  const id = Number(recipient);
  return /^-?\d+$/.test(recipient) && Number.isSafeInteger(id) ? id : recipient;
}

function replyParameters(platformMessageId: string | undefined): TextMessage['reply_parameters'] {
  const id = Number(platformMessageId?.split(':').at(-1));
  return Number.isSafeInteger(id) ? { message_id: id, allow_sending_without_reply: true } : undefined;
}
