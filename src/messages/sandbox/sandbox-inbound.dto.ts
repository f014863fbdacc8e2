import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, type Platform } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { PlatformField } from '../../core/validation/fields/word-fields.decorator';
import { SandboxAttachmentDto } from './sandbox-attachment.dto';
import { MAX_RECIPIENT_LENGTH } from '../dto/send-message.dto';

const MAX_NAME_LENGTH = 256;

export class SandboxSenderDto {
  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description: 'The id at the platform: what a reply is sent to.',
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

export class SandboxInboundDto {
  @PlatformField({ description: 'The platform to play.', example: 'telegram' })
  platform!: Platform;

  @NestedField(SandboxSenderDto, { description: 'Who writes.' })
  sender!: SandboxSenderDto;

  @TextField({
    max: MAX_TEXT_LENGTH,
    optional: true,
    description: 'What is written; with `attachments`, their caption.',
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
}

export class SandboxInboundResultDto {
  @ApiId('message', 'Id of the stored message.')
  message_id!: string;

  @ApiId('conversation', 'Id of its conversation.')
  conversation_id!: string;
}
