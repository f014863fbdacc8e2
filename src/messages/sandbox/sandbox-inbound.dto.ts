import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, type Platform } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { AccountField, PlatformField } from '../../core/validation/fields/word-fields.decorator';
import { SandboxDataDto } from './sandbox-data.dto';
import { SandboxAttachmentDto } from './sandbox-attachment.dto';
import { MAX_RECIPIENT_LENGTH } from '../dto/send-message.dto';

const MAX_NAME_LENGTH = 256;

export class SandboxSenderDto {
  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description: 'Id on the platform, to which replies are sent.',
    example: '48213907',
  })
  id!: string;

  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    optional: true,
    description:
      'Another id of the same person, to which messages were sent: from now on both have one conversation, as after a send that WhatsApp answers with another number.',
    example: '5511987654321',
  })
  other_id?: string;

  @TextField({
    max: MAX_NAME_LENGTH,
    optional: true,
    nullable: true,
    description: 'Name on the platform.',
    example: 'Ada Lovelace',
  })
  name?: string | null;

  @TextField({
    max: MAX_NAME_LENGTH,
    optional: true,
    nullable: true,
    description: 'Username on the platform.',
    example: 'ada',
  })
  username?: string | null;
}

export class SandboxGroupDto {
  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description: 'Id of the group on the platform, or `<chat id>/<thread id>` of a Telegram topic. Replies go there.',
    example: '-1001234',
  })
  id!: string;

  @TextField({
    max: MAX_NAME_LENGTH,
    optional: true,
    nullable: true,
    description: 'Name on the platform.',
    example: 'Depot',
  })
  name?: string | null;
}

export class SandboxReplyDto {
  @IdField('message', { description: 'Message whose option the person chooses.' })
  message_id!: string;

  @TextField({ max: 200, description: '`id` of the option.', example: 'yes' })
  id!: string;

  @TextField({
    max: 24,
    optional: true,
    description: 'Title that the platform shows. Default: the title of the option.',
  })
  title?: string;
}

export class SandboxChangeDto {
  @IdField('message', { description: 'Message of this person that changes.' })
  message_id!: string;
}

export class SandboxInboundDto {
  @PlatformField({ description: 'Platform to simulate.', example: 'telegram' })
  platform!: Platform;

  @AccountField({ description: 'Account that gets the message, by its id or name. Default: the default account.' })
  account?: string;

  @NestedField(SandboxSenderDto, { description: 'Person who writes.' })
  sender!: SandboxSenderDto;

  @NestedField(SandboxGroupDto, {
    optional: true,
    description:
      'Group or topic in which the person writes. `@sandbox_bot` (Telegram), `@sandbox` (Discord) and `@10000000000` (WhatsApp) in `content`, and a reply to a message of the business, are mentions.',
  })
  group?: SandboxGroupDto;

  @TextField({
    max: MAX_TEXT_LENGTH,
    unless: ['attachments', 'interactive_reply', 'change'],
    description: 'Text of the message, or the caption of its attachments. Default: the title of the chosen option.',
    example: 'Hello!',
  })
  content?: string;

  @NestedListField(SandboxAttachmentDto, {
    max: MAX_ATTACHMENTS,
    optional: true,
    description: 'Uploaded files that the person sends.',
    example: [{ id: 'att_01h455vb4pex5vsknk084sn02q' }],
  })
  attachments?: SandboxAttachmentDto[];

  @NestedField(SandboxReplyDto, { optional: true, description: 'Option that the person taps.' })
  interactive_reply?: SandboxReplyDto;

  @IdField('message', { optional: true, description: 'Message of the conversation that the person quotes.' })
  reply_to?: string;

  @NestedField(SandboxDataDto, {
    optional: true,
    description: 'Structured data of the message, such as an order. At most 16 KiB are stored.',
  })
  data?: SandboxDataDto;

  @NestedField(SandboxChangeDto, {
    optional: true,
    description:
      'Edits an earlier message to `content`, or deletes it if there is no `content`; no other message is created.',
  })
  change?: SandboxChangeDto;
}

export class SandboxInboundResultDto {
  @ApiId('message', 'Id of the stored or changed message; null for a tap repeated within a minute.', {
    nullable: true,
  })
  message_id!: string | null;

  @ApiId('conversation', 'Id of the conversation.')
  conversation_id!: string;
}
