import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, type Platform } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { PlatformField } from '../../core/validation/fields/word-fields.decorator';
import { SandboxDataDto } from './sandbox-data.dto';
import { SandboxAttachmentDto } from './sandbox-attachment.dto';
import { MAX_RECIPIENT_LENGTH } from '../dto/send-message.dto';

const MAX_NAME_LENGTH = 256;

export class SandboxSenderDto {
  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description: 'The id at the platform, to which a reply is sent.',
    example: '48213907',
  })
  id!: string;

  @TextField({
    max: MAX_NAME_LENGTH,
    optional: true,
    nullable: true,
    description: 'The name shown at the platform.',
    example: 'Ada Lovelace',
  })
  name?: string | null;

  @TextField({
    max: MAX_NAME_LENGTH,
    optional: true,
    nullable: true,
    description: 'The user name at the platform.',
    example: 'ada',
  })
  username?: string | null;
}

export class SandboxReplyDto {
  @IdField('message', { description: 'The message whose option is chosen.' })
  message_id!: string;

  @TextField({ max: 200, description: 'The `id` of the option.', example: 'yes' })
  id!: string;

  @TextField({
    max: 24,
    optional: true,
    description: 'The title that the platform shows; by default that of the option.',
  })
  title?: string;
}

export class SandboxChangeDto {
  @IdField('message', { description: 'The message of this person that changes.' })
  message_id!: string;
}

export class SandboxInboundDto {
  @PlatformField({ description: 'The platform to play.', example: 'telegram' })
  platform!: Platform;

  @NestedField(SandboxSenderDto, { description: 'Who writes.' })
  sender!: SandboxSenderDto;

  @TextField({
    max: MAX_TEXT_LENGTH,
    unless: ['attachments', 'interactive_reply', 'change'],
    description: 'What is written; with `attachments`, their caption; by default the title of the chosen option.',
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

  @NestedField(SandboxReplyDto, { optional: true, description: 'The option that the person taps.' })
  interactive_reply?: SandboxReplyDto;

  @IdField('message', { optional: true, description: 'The message of the conversation that the person quotes.' })
  reply_to?: string;

  @NestedField(SandboxDataDto, {
    optional: true,
    description: 'The structure behind the words: an order, an ad that led here. At most 16 KiB are stored.',
  })
  data?: SandboxDataDto;

  @NestedField(SandboxChangeDto, {
    optional: true,
    description:
      'The person edits an earlier message to `content`, or deletes it where there is no `content`; nothing else is sent.',
  })
  change?: SandboxChangeDto;
}

export class SandboxInboundResultDto {
  @ApiId('message', 'Id of the stored or changed message; null for a tap that was repeated within a minute.', {
    nullable: true,
  })
  message_id!: string | null;

  @ApiId('conversation', 'Id of its conversation.')
  conversation_id!: string;
}
