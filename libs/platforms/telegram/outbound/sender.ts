import { topicId } from '#contracts';
import type { CallLimits } from '#http-client';
import { uploadMs } from '../../media/upload-time';
import type { OutboundPart, PartAccepted, PartOutcome, SendRequest } from '../../platform.port';
import { refused } from '../../refusal';
import type { BotApi } from '../bot-api';
import { connectionError } from '../connection-faults';
import { messageIdOf } from '../inbound/participants';
import { type Place, placeOf } from '../topics';
import { type CallVariant, callOf } from './calls';
import { migratedTo, refusalOf, rejectsForm, rejectsMarkup } from './send-outcomes';

/** The fields of a message that are used. */
interface Sent {
  message_id: number;
  chat?: { id: number | string };
}

type Posted = Pick<PartAccepted, 'platformMessageId' | 'participantId' | 'asPlainText'>;

/** Sends texts, files and albums: https://core.telegram.org/bots/api#sendmessage */
export class Sender {
  constructor(
    private readonly api: BotApi,
    private readonly deadlineMs: number,
    /** Called for every refusal that the token may have caused. */
    private readonly tokenRefused: () => void,
  ) {}

  async send(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (signal.aborted) return refused('platform_unavailable', 'the send was cancelled before anything was written');
    const { recipient, mayWrite } = request;
    const limits = { signal, mayWrite, deadlineMs: this.deadlineMs + uploadMs(part.files) };
    const place = placeOf(recipient);
    const post = (to: Place): Promise<Posted> => this.post(request, part, to, limits);
    try {
      return { accepted: true, ...(await post(place)) };
    } catch (error) {
      if (connectionError(error).fatal) this.tokenRefused();
      const moved = migratedTo(error);
      if (moved === undefined) return refusalOf(error);
      return post({ ...place, chat: moved }).then((posted) => ({ accepted: true, ...posted }), refusalOf);
    }
  }

  /** If Telegram refuses the form of a message, nothing was sent: sends it once more in a plainer form. */
  private async post(
    request: SendRequest,
    part: OutboundPart,
    variant: CallVariant,
    limits: CallLimits,
  ): Promise<Posted> {
    const { method, fields, files } = callOf(request.options, part, variant);
    try {
      const result = (await this.api.upload(method, fields, files, limits)) as Sent | Sent[];
      // An album is several messages: the id of the first one stands for it.
      const sent = Array.isArray(result) ? result[0] : result;
      // Some servers do not send the chat: then it is the recipient's.
      const chat = sent?.chat ?? { id: variant.chat };
      const platformMessageId = messageIdOf({ message_id: Number.NaN, ...sent, chat });
      return {
        platformMessageId,
        participantId: participantIn(chat, variant),
        ...(variant.isPlain && { asPlainText: true }),
      };
    } catch (error) {
      if (!variant.isPlain && request.options.parseMode !== 'plain' && rejectsMarkup(error))
        return this.post(request, part, { ...variant, isPlain: true }, limits);
      if (!variant.asDocuments && files.length > 0 && rejectsForm(error))
        return this.post(request, part, { ...variant, asDocuments: true }, limits);
      throw error;
    }
  }
}

function participantIn({ id }: { id: number | string }, { thread }: Place): string {
  return thread === undefined ? String(id) : topicId(String(id), thread);
}
