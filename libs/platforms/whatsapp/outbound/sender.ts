import type { OutboundFile } from '../../media.port';
import { uploadMs } from '../../media/upload-time';
import type { OutboundPart, PartAccepted, PartOutcome, PartRefused, SendRequest } from '../../platform.port';
import { wordsOf } from '../../fault-words';
import type { TemplateMessage } from '../../template.port';
import { refused } from '../../refusal';
import { refusesToken } from '../error-codes';
import type { GraphApi } from '../graph-api';
import { GraphError } from '../graph-error';
import { formOf, LONGEST_CAPTION } from './file-forms';
import { renderWhatsApp } from './markup';
import { MediaUploads } from './media-uploads';
import { MAX_TEXT_LENGTH } from './plan';
import { idText, list, text } from '../inbound/notification';
import { groupOf, isUserId, phoneOf } from '../inbound/people';
import { interactiveOf, MAX_BODY } from './interactive';
import { refusalOf } from './send-outcomes';

/** Sends texts and files: https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages */
export class Sender {
  private readonly uploads: MediaUploads;

  constructor(
    private readonly api: GraphApi,
    private readonly deadlineMs: number,
    /** Called for every send that is refused because of the token. */
    private readonly tokenRefused: () => void,
  ) {
    this.uploads = new MediaUploads(api);
  }

  async send(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (signal.aborted) return refused('platform_unavailable', 'the send was cancelled before anything was written');
    const [file] = part.files ?? [];
    let content = textOf(request, part);
    try {
      if (file) content = mediaOf(request, part, file, await this.upload(request, part, file, signal));
    } catch (error) {
      return this.refusal(error, unsentAfter(error));
    }
    try {
      const answer = await this.api.messages(payloadOf(request, part, content), {
        signal,
        deadlineMs: this.deadlineMs,
        mayWrite: request.mayWrite,
      });
      const platformMessageId = text(list(answer['messages'])[0]?.['id']);
      if (platformMessageId !== undefined) return { accepted: true, platformMessageId, ...personOf(request, answer) };
      return refused('ambiguous', 'WhatsApp accepted the message but returned no id');
    } catch (error) {
      return this.refusal(error, refusalOf(error));
    }
  }

  private upload({ messageId }: SendRequest, { index }: OutboundPart, file: OutboundFile, signal: AbortSignal) {
    const limits = { signal, deadlineMs: this.deadlineMs + uploadMs([file]) };
    return this.uploads.idOf(`${messageId}:${index}`, file, limits);
  }

  private refusal(error: unknown, refusal: PartRefused): PartRefused {
    if (error instanceof GraphError && refusesToken(error.code, error.status)) this.tokenRefused();
    return refusal;
  }
}

/** After a failed upload no message was sent, whether or not WhatsApp has the file. */
function unsentAfter(error: unknown): PartRefused {
  const refusal = refusalOf(error);
  if (refusal.failure.code !== 'ambiguous') return refusal;
  return refused('platform_unavailable', `the file was not uploaded: ${wordsOf(error)}`);
}

function textOf({ options }: SendRequest, { text: source, interactive }: OutboundPart): object {
  if (options.template) return templateOf(options.template);
  if (interactive) {
    const body = renderWhatsApp(source, options.parseMode, MAX_BODY);
    return { type: 'interactive', interactive: interactiveOf(body, interactive) };
  }
  const body = renderWhatsApp(source, options.parseMode, MAX_TEXT_LENGTH);
  return { type: 'text', text: { body, preview_url: options.linkPreview } };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/image-messages */
function mediaOf({ options }: SendRequest, { text: source }: OutboundPart, file: OutboundFile, id: string): object {
  const { type, takesCaption } = formOf(file);
  const caption =
    takesCaption && source !== '' ? renderWhatsApp(source, options.parseMode, LONGEST_CAPTION) : undefined;
  const isVoice = file.kind === 'voice' && file.mimeType === 'audio/ogg';
  const media = {
    id,
    ...(caption !== undefined && { caption }),
    ...(type === 'document' && { filename: file.filename }),
    ...(type === 'audio' && isVoice && { voice: true }),
  };
  return { type, [type]: media };
}

function payloadOf(
  { messageId, recipient, address, options }: SendRequest,
  { index }: OutboundPart,
  content: object,
): object {
  return {
    messaging_product: 'whatsapp',
    ...receiverOf(recipient, address),
    ...content,
    // Only the first part answers: quoting the same message above each part would be noise.
    ...(index === 0 && options.replyTo && { context: { message_id: options.replyTo } }),
    // WhatsApp repeats it in every status of the message.
    biz_opaque_callback_data: messageId,
  };
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates */
function templateOf({ name, language, components }: TemplateMessage): object {
  return { type: 'template', template: { name, language: { code: language }, components } };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/groups */
function receiverOf(recipient: string, address: string | undefined): object {
  const groupId = groupOf({ recipient, address });
  if (groupId !== undefined) return { recipient_type: 'group', to: groupId };
  // WhatsApp accepts a user id in `to`, but sends nothing and reports no error.
  return { recipient_type: 'individual', ...(isUserId(recipient) ? { recipient } : { to: recipient }) };
}

/**
 * WhatsApp leaves out or adds a digit of some numbers (Brazil, Argentina, Mexico). The person writes under the number that it
 * answers with.
 */
function personOf(
  { recipient, address }: SendRequest,
  answer: Readonly<Record<string, unknown>>,
): Pick<PartAccepted, 'participantId'> {
  const id = idText(list(answer['contacts'])[0]?.['wa_id']);
  return id === undefined || groupOf({ recipient, address }) !== undefined ? {} : { participantId: phoneOf(id) };
}
