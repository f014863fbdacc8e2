import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { newUuid, toPublicId, type AttachmentKind, type Platform } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Clock } from '../../core/clock/clock.service';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { BodyLimit } from '../../core/http/body-limit.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { SendAttachments } from '../../media/send-attachments.service';
import { InboundSinks } from '../../integrations/inbound/inbound-sinks.service';
import type { InteractiveReply } from '../../integrations/inbound/inbound-handler.port';
import { Choices } from '../inbound/choices.service';
import { SandboxInboundDto, SandboxInboundResultDto, type SandboxReplyDto } from './sandbox-inbound.dto';
import { EnvironmentGuard } from '../../core/http/environment.guard';

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

@ApiTags('Sandbox')
@Controller({ path: 'sandbox', version: '1' })
export class SandboxController {
  constructor(
    private readonly directory: ConversationDirectory,
    private readonly sinks: InboundSinks,
    private readonly clock: Clock,
    private readonly attachments: SendAttachments,
    private readonly choices: Choices,
  ) {}

  @Post('inbound')
  @HttpCode(200)
  @BodyLimit(204)
  @RequireScope('write:messages')
  @UseGuards(new EnvironmentGuard('test'))
  @ApiOperation({
    summary: 'Play an inbound message',
    description: 'Simulates a message of a person; the assistant answers. Only for test keys: live keys get 404.',
  })
  @ApiExamples({
    text: {
      summary: 'A person says hello',
      value: {
        platform: 'telegram',
        sender: { id: '48213907', name: 'Ada Lovelace', username: 'ada' },
        content: 'Hello!',
      },
    },
  })
  @ApiEnvelope(SandboxInboundResultDto)
  @ApiErrors('RESOURCE_NOT_FOUND')
  async play(
    @CurrentCaller() caller: Caller,
    @Body() { platform, sender, content, attachments = [], interactive_reply: tap }: SandboxInboundDto,
  ): Promise<SandboxInboundResultDto> {
    if (content === undefined && attachments.length === 0 && !tap)
      throw new ApiError('MISSING_PARAMETER', { parameter: 'content' });
    const { environment } = caller;
    const resolved = await this.attachments.resolve(caller, attachments);
    const uploads = 'failure' in resolved ? [] : resolved.attachments;
    const [first] = uploads;
    const participant = { id: sender.id, name: sender.name ?? null, username: sender.username ?? null };
    const reply = tap && (await this.replyOf(platform, tap));
    const messageId = await this.sinks.receive(environment, platform, {
      platformMessageId: `sandbox:${newUuid(this.clock.now())}`,
      participant,
      sender: participant,
      // As the adapters describe a file without a text.
      content: content ?? reply?.title ?? `[${first!.kind}]`,
      kind: first ? INBOUND_KINDS[first.kind] : 'text',
      uploads,
      interactiveReply: reply,
      sentAt: this.clock.date(),
    });
    const { id: conversationId } = await this.directory.find(environment, platform, participant.id);
    return {
      // Only a repeated tap is a duplicate: the platform id is new.
      message_id: messageId === undefined ? null : toPublicId('message', messageId),
      conversation_id: toPublicId('conversation', conversationId),
    };
  }

  private async replyOf(platform: Platform, { message_id, id, title }: SandboxReplyDto): Promise<InteractiveReply> {
    // The sandbox's id of a message that has one part.
    const platformMessageId = `${message_id}:0`;
    const offer = await this.choices.offer('test', platform, platformMessageId);
    const option = offer?.interactive?.options.find((one) => one.id === id);
    if (!option)
      throw ApiError.invalidParameter('interactive_reply', 'must name an option of a message that was sent there');
    return { id, title: title ?? option.title, platformMessageId };
  }
}
