import { toPublicId } from '#contracts';
import type { SendRequest } from '../../integrations/platforms/adapters.service';
import type { OutboundMessage, OutboundOptions } from './outbound-message';

/** @param replyTo the platform's id of the message that is answered */
export function sendRequest(
  { id, environment, address, options }: OutboundMessage,
  recipient: string,
  replyTo?: string,
): SendRequest {
  return {
    messageId: toPublicId('message', id),
    environment,
    recipient,
    address: address ?? undefined,
    options: sendOptions(options, replyTo),
  };
}

export function sendOptions(options: OutboundOptions, replyTo?: string): SendRequest['options'] {
  return {
    parseMode: options.parse_mode,
    disableNotification: options.disable_notification ?? false,
    linkPreview: options.link_preview,
    replyTo,
    template: options.template,
  };
}
