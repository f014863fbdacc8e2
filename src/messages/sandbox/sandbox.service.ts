import { Injectable } from '@nestjs/common';
import { fromPublicId, newUuid, toPublicId, type AccountKey, type AttachmentKind } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { accountKey } from '../../accounts/entities/account.entity';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Clock } from '../../core/clock/clock.service';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { InteractiveReply, QuotedMessage } from '../../integrations/inbound/inbound-handler.port';
import { Integrations, notConnected } from '../../integrations/integrations.service';
import { Adapters } from '../../integrations/platforms/adapters.service';
import { InboundSinks } from '../../integrations/inbound/inbound-sinks.service';
import { SendAttachments } from '../../media/send-attachments.service';
import { Choices } from '../receive/choices.service';
import { MessageReader } from '../list/message-reader.service';
import { OutboundStore } from '../send/outbound-store.service';
import type {
  SandboxChangeDto,
  SandboxGroupDto,
  SandboxInboundDto,
  SandboxInboundResultDto,
  SandboxReplyDto,
  SandboxSenderDto,
} from './sandbox-inbound.dto';

/** Kind of a file → kind of its message, as the adapters name it. */
const INBOUND_KINDS = {
  image: 'image',
  audio: 'audio',
  voice: 'audio',
  video: 'video',
  document: 'document',
  sticker: 'sticker',
  location: 'location',
  contact: 'contact',
} as const satisfies Record<AttachmentKind, string>;
const ENVIRONMENT = 'test';

/** The conversation that the sandbox plays in. */
interface Place extends AccountKey {
  participantId: string;
}

/** Plays the people who write to a business, for test keys. */
@Injectable()
export class Sandbox {
  constructor(
    private readonly directory: ConversationDirectory,
    private readonly sinks: InboundSinks,
    private readonly clock: Clock,
    private readonly attachments: SendAttachments,
    private readonly choices: Choices,
    private readonly reader: MessageReader,
    private readonly outbound: OutboundStore,
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
    private readonly accounts: Accounts,
  ) {}

  async play(caller: Caller, request: SandboxInboundDto): Promise<SandboxInboundResultDto> {
    const at = this.accountOf(request);
    const inbound = this.withPlatformIds(at, request);
    const { sender, group, change } = inbound;
    const participantId = group?.id ?? sender.id;
    const place = { ...at, participantId };
    if (sender.other_id !== undefined) await this.sinks.migrate(at, sender.other_id, sender.id);
    const messageId = change ? await this.change(place, inbound, change) : await this.write(caller, place, inbound);
    const { id: conversationId } = await this.directory.find(at, participantId);
    return {
      // Only a repeated tap is a duplicate: the platform id is new.
      message_id: messageId ?? null,
      conversation_id: toPublicId('conversation', conversationId),
    };
  }

  /** @throws ApiError INVALID_PARAMETER, PLATFORM_NOT_CONNECTED */
  private accountOf({ platform, account: word }: SandboxInboundDto): AccountKey {
    const at = { environment: ENVIRONMENT, platform } as const;
    const account = word === undefined ? this.accounts.defaultOf(at)! : this.accounts.named(at, word);
    if (!account || !this.accounts.isUsable(account))
      throw ApiError.invalidParameter('account', `must be the id or the name of an account of ${platform}`, word);
    if (!account.enabled) throw notConnected(platform, 'disconnected', 'the account is disabled');
    return { ...at, account: accountKey(account) };
  }

  /** The ids as the platform writes them. */
  private withPlatformIds(at: AccountKey, inbound: SandboxInboundDto): SandboxInboundDto {
    const { sender, group } = inbound;
    const adapter = this.adapters.of(at);
    const other_id = sender.other_id === undefined ? undefined : adapter.participantId(sender.other_id);
    return {
      ...inbound,
      sender: { ...sender, id: adapter.participantId(sender.id), other_id },
      ...(group && { group: { ...group, id: adapter.participantId(group.id) } }),
    };
  }

  private async write(caller: Caller, place: Place, inbound: SandboxInboundDto): Promise<string | undefined> {
    const { group, content, attachments = [], interactive_reply: tap, reply_to: quoted, data } = inbound;
    if (content === undefined && attachments.length === 0 && !tap)
      throw new ApiError('MISSING_PARAMETER', { parameter: 'content' });
    const resolved = await this.attachments.resolve(caller, attachments);
    const uploads = 'failure' in resolved ? [] : resolved.attachments;
    const [first] = uploads;
    const sender = personOf(inbound.sender);
    const reply = tap && (await this.tapOf(place, tap));
    const id = await this.sinks.receive(place, {
      platformMessageId: `sandbox:${newUuid(this.clock.now())}`,
      participant: group ? personOf(group) : sender,
      sender,
      ...(group && { mentionsBot: tap !== undefined || this.isMentioned(place, content) }),
      // As the adapters describe a file without a text.
      content: content ?? reply?.title ?? `[${first!.kind}]`,
      kind: first ? INBOUND_KINDS[first.kind] : 'text',
      uploads,
      ...(reply && { interactiveReply: reply }),
      ...(quoted !== undefined && { replyTo: await this.quotationOf(place, quoted) }),
      ...(data && { data }),
      sentAt: this.clock.date(),
    });
    return id && toPublicId('message', id);
  }

  /** Whether a text mentions the bot or number that the sandbox plays. */
  private isMentioned(at: AccountKey, text = ''): boolean {
    const { bot_username: name, phone } = this.integrations.state(at).details;
    const own = name ?? phone?.replace('+', '');
    return text.split('@').some((rest, index) => index > 0 && /^\w+/.exec(rest)?.[0] === own);
  }

  private async change(
    place: Place,
    { sender, content }: SandboxInboundDto,
    { message_id: messageId }: SandboxChangeDto,
  ): Promise<string> {
    const id = fromPublicId('message', messageId)!;
    const message = await this.reader.find(ENVIRONMENT, id);
    if (message?.direction !== 'inbound' || !(await this.reader.isExchangedWith(place, id)))
      throw ApiError.invalidParameter('change.message_id', 'must be the id of a message of this person', messageId);
    await this.sinks.change(place, {
      platformMessageId: (await this.outbound.platformIdOf(id))!,
      authorId: sender.id,
      content: content ?? null,
      at: this.clock.date(),
    });
    return messageId;
  }

  private async quotationOf(place: Place, messageId: string): Promise<QuotedMessage> {
    const id = fromPublicId('message', messageId)!;
    if (!(await this.reader.isExchangedWith(place, id)))
      throw ApiError.invalidParameter('reply_to', 'must be the id of a message of this conversation', messageId);
    return { platformMessageId: await this.outbound.platformIdOf(id) };
  }

  private async tapOf(place: Place, { message_id, id, title }: SandboxReplyDto): Promise<InteractiveReply> {
    // The sandbox's id of a message that has one part.
    const platformMessageId = `${message_id}:0`;
    const { id: conversationId } = await this.directory.find(place, place.participantId);
    const offer = await this.choices.offer(place, conversationId, platformMessageId);
    const option = offer?.interactive?.options.find((one) => one.id === id);
    if (!option)
      throw ApiError.invalidParameter('interactive_reply', 'must name an option of a message that was sent there');
    return { id, title: title ?? option.title, platformMessageId };
  }
}

function personOf({ id, name = null, username = null }: SandboxGroupDto & Pick<SandboxSenderDto, 'username'>) {
  return { id, name, username };
}
