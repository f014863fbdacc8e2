import { createHash } from 'node:crypto';
import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { FormFile } from '#http-client';
import type { OutboundFile } from '../../media.port';
import type { OutboundPart, PartOutcome, SendRequest } from '../../platform.port';
import type { DiscordApi, MessageBody } from '../discord-api';
import { isUnknownChannel, openingRefusalOf, refusalOf } from '../discord-errors';
import { componentsOf } from './components';
import { render } from './rendering';
import { refused } from '../../refusal';
import { isSnowflake } from '../snowflake';

/** A send without an answer is sent once more: Discord recognises its nonce. */
const ATTEMPTS = 2;
const REMEMBERED_DIRECT_MESSAGES = 10_000;

/** Sends texts and files: https://discord.com/developers/docs/resources/message#create-message */
export class Sender {
  /** The channels of direct messages by user. */
  private readonly directMessages = new LRUCache<string, string>({ max: REMEMBERED_DIRECT_MESSAGES });
  /** The persons of channels that were recipients; empty: it is no direct message. */
  private readonly persons = new LRUCache<string, string>({ max: REMEMBERED_DIRECT_MESSAGES });

  /** @param wrote called for each message that was sent to a direct message */
  constructor(
    private readonly api: DiscordApi,
    private readonly wrote: (channelId: string, messageId: string) => void,
  ) {}

  /** The channel to write to. Only Discord knows whether an unknown recipient is a channel or a user. */
  channelOf(recipient: string, address: string | undefined): string {
    return this.directMessages.get(recipient) ?? address ?? recipient;
  }

  async send(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (!isSnowflake(request.recipient))
      return refused('recipient_unreachable', 'the recipient must be a numeric channel or user id');
    let ambiguous: PartOutcome | undefined;
    for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
      const outcome = await this.attempt(request, bodyOf(request, part), formFiles(part.files), signal);
      if (outcome.accepted || outcome.failure.code !== 'ambiguous') {
        // The first attempt may have succeeded even if the second could not be written.
        const unreached = !outcome.accepted && outcome.failure.code === 'platform_unavailable';
        return unreached ? (ambiguous ?? outcome) : outcome;
      }
      ambiguous = outcome;
    }
    return ambiguous ?? refused('platform_unavailable', 'the send was cancelled before anything was written');
  }

  private async attempt(
    { recipient, address }: SendRequest,
    body: MessageBody,
    files: readonly FormFile[],
    signal: AbortSignal,
  ): Promise<PartOutcome> {
    let channelId = this.channelOf(recipient, address);
    try {
      const platformMessageId = await this.api.createMessage(channelId, body, files, signal);
      return this.accepted(recipient, channelId, platformMessageId, await this.personOf(recipient, channelId, signal));
    } catch (error) {
      // The recipient is a user, or the user's direct message has another channel now.
      if (!isUnknownChannel(error)) return refusalOf(error);
    }
    try {
      channelId = await this.api.openDirectMessage(recipient, signal);
      this.directMessages.set(recipient, channelId);
    } catch (error) {
      return openingRefusalOf(error);
    }
    try {
      return this.accepted(recipient, channelId, await this.api.createMessage(channelId, body, files, signal));
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** @param person of the direct message that is the recipient */
  private accepted(recipient: string, channelId: string, platformMessageId: string, person?: string): PartOutcome {
    if (channelId !== recipient || person) this.wrote(channelId, platformMessageId);
    return { accepted: true, platformMessageId, ...(person && { participantId: person, address: channelId }) };
  }

  /** The person behind a recipient that is the channel of a direct message: the person writes as a user. */
  private async personOf(recipient: string, channelId: string, signal: AbortSignal): Promise<string | undefined> {
    if (channelId !== recipient) return undefined;
    const known = this.persons.get(channelId);
    if (known !== undefined) return known || undefined;
    // The message is sent. If Discord does not tell, the next send asks again.
    const person = await this.api.personOf(channelId, signal).then(
      (id) => id ?? '',
      () => undefined,
    );
    if (person !== undefined) this.persons.set(channelId, person);
    return person || undefined;
  }
}

function bodyOf(
  { messageId, options }: SendRequest,
  { index, text, files = [], interactive }: OutboundPart,
): MessageBody {
  const flags =
    (options.disableNotification ? MessageFlags.SuppressNotifications : 0) |
    (options.linkPreview ? 0 : MessageFlags.SuppressEmbeds);
  return {
    ...(text !== '' && { content: render(text, options.parseMode) }),
    ...(files.length > 0 && { attachments: files.map(({ filename }, id) => ({ id: String(id), filename })) }),
    // At most 25 characters, so our id does not fit: 144 bits of its digest do.
    nonce: createHash('sha256').update(`${messageId}:${index}`).digest('base64url').slice(0, 24),
    enforce_nonce: true,
    // A text by people or a model must not notify a whole server.
    allowed_mentions: { parse: [], replied_user: false },
    ...(flags > 0 && { flags }),
    ...(interactive && { components: componentsOf(interactive) }),
    // Only the first part is a reply: each part would quote the same message again.
    ...(index === 0 &&
      options.replyTo !== undefined &&
      isSnowflake(options.replyTo) && {
        message_reference: { message_id: options.replyTo, fail_if_not_exists: false },
      }),
  };
}

/** https://discord.com/developers/docs/reference#uploading-files */
function formFiles(files: readonly OutboundFile[] = []): FormFile[] {
  return files.map((file, index) => {
    const { filename, mimeType, sizeBytes } = file;
    return { name: `files[${index}]`, filename, mimeType, sizeBytes, open: () => file.open() };
  });
}
