import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, PARSE_MODES, type ParseMode, type Platform } from '#contracts';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { AttachmentToSendDto } from '../../media/dto/attachment-to-send.dto';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { InteractiveDto } from './interactive.dto';
import { SendTemplateDto } from './send-template.dto';
import { BooleanField, EnumField, PlatformField } from '../../core/validation/fields/word-fields.decorator';

/** Longest recipient, in characters. */
export const MAX_RECIPIENT_LENGTH = 256;

export class SendOptionsDto {
  @EnumField({
    words: PARSE_MODES,
    optional: true,
    description: 'The markup of `message`; rendered for the platform.',
  })
  parse_mode: ParseMode = 'plain';

  @BooleanField({ optional: true, description: 'Deliver without a sound.' })
  disable_notification: boolean = false;

  @IdField('message', {
    optional: true,
    description: 'The message that this one replies to, in the same conversation.',
  })
  reply_to?: string;

  @BooleanField({ optional: true, description: 'Whether the platform may show a preview of links.' })
  link_preview: boolean = true;

  @BooleanField({
    optional: true,
    description:
      'A person takes the conversation over with this message, as by `POST /conversations/{id}/handover`. Changes nothing where a person has it already.',
  })
  take_over: boolean = false;
}

export class SendMessageDto {
  @PlatformField({
    description: 'The platform; `the service` is another word for `telegram`.',
    example: 'telegram',
  })
  platform!: Platform;

  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description: "The recipient's id at the platform. Telegram: an integer such as `-1001234`, or `@name`.",
    example: '48213907',
  })
  recipient!: string;

  @TextField({
    max: MAX_TEXT_LENGTH,
    unless: ['attachments', 'template'],
    description:
      'The text, required without `attachments` and `template`; with attachments, their caption. A text that is too long for the platform is sent in several parts.',
    example: 'Your order has been shipped.',
  })
  message?: string;

  @NestedListField(AttachmentToSendDto, {
    max: MAX_ATTACHMENTS,
    optional: true,
    description: 'Files to send, each by `id` or `url`. Each is sent in the best form that the platform has for it.',
    example: [{ id: 'att_01h455vb4pex5vsknk084sn02q' }],
  })
  attachments?: AttachmentToSendDto[];

  @NestedField(InteractiveDto, {
    optional: true,
    description:
      'Options below `message`: buttons or a list on WhatsApp, an inline keyboard on Telegram, components on Discord. Where the platform cannot show them, they are numbered lines, and for 24 hours a number is an answer.',
  })
  interactive?: InteractiveDto;

  @NestedField(SendTemplateDto, {
    optional: true,
    description: 'On WhatsApp, instead of `message`: an approved template, which can be sent at any time.',
  })
  template?: SendTemplateDto;

  @TimeField({
    optional: true,
    description:
      'When to send it, at most 30 days ahead. Until then the message is `scheduled`, has no place in its conversation, and `DELETE /messages/{message_id}` cancels it. While the platform is unavailable it waits for up to an hour; then it fails with `expired`.',
    example: '2026-12-24T08:00:00Z',
  })
  send_at?: string;

  @NestedField(SendOptionsDto, { optional: true, description: 'How to send it.' })
  options?: SendOptionsDto;
}
