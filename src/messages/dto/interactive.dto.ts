import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

/** The limits of WhatsApp, the strictest platform. They apply on every platform. */
export const INTERACTIVE_LIMITS = {
  choice: { options: 3, title: 20 },
  list: { options: 10, title: 24 },
  link: 20,
  body: 1_024,
} as const;
const MOST_OPTIONS = 10;
const HTTP_URL = /^https?:\/\/[^\0-\x20\x7f]+$/;

export class InteractiveOptionDto {
  @TextField({
    max: 200,
    notBlank: true,
    description:
      'Id of the option, reported as `interactive_reply.id` when a person chooses it; unique in the message.',
    example: 'yes',
  })
  id!: string;

  @TextField({
    max: INTERACTIVE_LIMITS.list.title,
    notBlank: true,
    description:
      'Title of the option, unique in the message: up to 20 characters for a button or a link, 24 in a list.',
    example: 'Yes, please',
  })
  title!: string;

  @TextField({
    max: 72,
    optional: true,
    notBlank: true,
    description: 'Description of the option.',
    example: 'At three',
  })
  description?: string;

  @TextField({
    max: 2_000,
    optional: true,
    format: 'uri',
    form: { matches: HTTP_URL, requirement: 'must be an http or https URL' },
    description: 'URL (http or https) that turns the option into a link. Platforms do not report when it is opened.',
    example: 'https://example.com/orders/4711',
  })
  url?: string;
}

export class InteractiveDto {
  @EnumField({
    words: ['choice', 'list'],
    description: 'Form of the options. `choice`: up to 3 buttons. `list`: up to 10 rows.',
  })
  type!: 'choice' | 'list';

  @NestedListField(InteractiveOptionDto, {
    min: 1,
    max: MOST_OPTIONS,
    description: 'Options to choose from.',
    example: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ],
  })
  options!: InteractiveOptionDto[];

  @TextField({
    max: 20,
    optional: true,
    notBlank: true,
    description: 'Text of the button that opens the list, if the platform has one.',
    example: 'Times',
  })
  button?: string;
}

export class InteractiveReplyDto {
  @ApiProperty({ type: String, nullable: true, description: '`id` of the option.', example: 'yes' })
  id!: string | null;

  @ApiProperty({ description: '`title` of the option.', example: 'Yes, please' })
  title!: string;

  @ApiId('message', 'Message that had the options; null if unknown.', { nullable: true })
  message_id!: string | null;
}
