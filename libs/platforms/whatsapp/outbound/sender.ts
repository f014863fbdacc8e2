import type { OutboundPart, PartOutcome, SendRequest } from '../../platform.port';
import { refused } from '../../refusal';
import { refusesToken } from '../error-codes';
import type { GraphApi } from '../graph-api';
import { GraphError } from '../graph-error';
import { renderWhatsApp } from './markup';
import { list, text } from '../inbound/notification';
import { isGroupId, isUserId } from '../inbound/people';
import { refusalOf } from './send-outcomes';

/** Longest body of a text message, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 4_096;

/** Sends text: https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages */
export class Sender {
  constructor(
    private readonly api: GraphApi,
    private readonly deadlineMs: number,
    /** Told of every send that is refused for the token. */
    private readonly tokenRefused: () => void,
  ) {}

  async send(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (signal.aborted)
      return refused('platform_unavailable', 'the sending was called off before anything was written');
    try {
      const answer = await this.api.messages(payloadOf(request, part), {
        signal,
        deadlineMs: this.deadlineMs,
        mayWrite: request.mayWrite,
      });
      const platformMessageId = text(list(answer['messages'])[0]?.['id']);
      if (platformMessageId !== undefined) return { accepted: true, platformMessageId };
      return refused('ambiguous', 'WhatsApp accepted the message, but did not say under which id');
    } catch (error) {
      if (error instanceof GraphError && refusesToken(error.code, error.status)) this.tokenRefused();
      return refusalOf(error);
    }
  }
}

function payloadOf(
  { messageId, recipient, address, options }: SendRequest,
  { index, text: source }: OutboundPart,
): object {
  const body = renderWhatsApp(source, options.parseMode, MAX_TEXT_LENGTH);
  return {
    messaging_product: 'whatsapp',
    ...receiverOf(recipient, address),
    type: 'text',
    text: { body, preview_url: options.linkPreview },
    // Only the first part answers: quoting the same message above each part would be noise.
    ...(index === 0 && options.replyTo && { context: { message_id: options.replyTo } }),
    // Comes back with every status of the message.
    biz_opaque_callback_data: messageId,
  };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/groups */
function receiverOf(recipient: string, address: string | undefined): object {
  const groupId = address ?? (isGroupId(recipient) ? recipient : undefined);
  if (groupId !== undefined) return { recipient_type: 'group', to: groupId };
  // A user id in `to` is taken and dropped without a word.
  return { recipient_type: 'individual', ...(isUserId(recipient) ? { recipient } : { to: recipient }) };
}
