import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, PARSE_MODES, type ParseMode, type Platform } from '#contracts';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { AttachmentToSendDto } from '../../media/dto/attachment-to-send.dto';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { InteractiveDto } from './interactive.dto';
import { SendTemplateDto } from './send-template.dto';
import {
  AccountField,
  BooleanField,
  EnumField,
  PlatformField,
} from '../../core/validation/fields/word-fields.decorator';

/** Longest recipient, in characters. */
export const MAX_RECIPIENT_LENGTH = 256;

export class SendOptionsDto {
  @EnumField({
    words: PARSE_MODES,
    optional: true,
    description: 'Markup of `message`, which the gateway converts for the platform.',
  })
  parse_mode: ParseMode = 'plain';

  @BooleanField({ optional: true, description: 'Deliver the message without a notification sound.' })
  disable_notification: boolean = false;

  @IdField('message', {
    optional: true,
    description: 'Message of the same conversation that this one replies to.',
  })
  reply_to?: string;

  @BooleanField({ optional: true, description: 'Whether the platform may show link previews.' })
  link_preview: boolean = true;

  @BooleanField({
    optional: true,
    description:
      'A person takes over the conversation with this message, as with `POST /conversations/{id}/handover`. No effect if a person has taken over already.',
  })
  take_over: boolean = false;
}

export class SendMessageDto {
  @PlatformField({
    description: 'Name of the platform; `the service` is an alias for `telegram`.',
    example: 'telegram',
  })
  platform!: Platform;

  @AccountField({
    description:
      'Account that sends, by its id or name. Default: the account of the newest conversation with the recipient, else the default account.',
  })
  account?: string;

  @TextField({
    max: MAX_RECIPIENT_LENGTH,
    description:
      'Id of the recipient on the platform. Telegram: an integer such as `-1001234`, `@name`, or `<chat id>/<thread id>` for a topic.',
    example: '48213907',
  })
  recipient!: string;

  @TextField({
    max: MAX_TEXT_LENGTH,
    unless: ['attachments', 'template'],
    description:
      'Text of the message, or the caption of its attachments; required without `attachments` and `template`. A text that is too long for the platform is sent in several parts.',
    example: 'Your order has been shipped.',
  })
  message?: string;

  @NestedListField(AttachmentToSendDto, {
    max: MAX_ATTACHMENTS,
    optional: true,
    description:
      'Files to send, each by `id` or `url`. Each file is sent as the most suitable type that the platform offers.',
    example: [{ id: 'att_01h455vb4pex5vsknk084sn02q' }],
  })
  attachments?: AttachmentToSendDto[];

  @NestedField(InteractiveDto, {
    optional: true,
    description:
      'Options below `message`: buttons or a list on WhatsApp, an inline keyboard on Telegram, components on Discord. If the platform cannot show them, they are sent as numbered lines, and for 24 hours a number is accepted as a choice.',
  })
  interactive?: InteractiveDto;

  @NestedField(SendTemplateDto, {
    optional: true,
    description: 'Approved WhatsApp template to send instead of `message`. Templates can be sent at any time.',
  })
  template?: SendTemplateDto;

  @TimeField({
    optional: true,
    description:
      'When to send the message, at most 30 days ahead. Until then it is `scheduled`, has no place in the conversation, and can be cancelled with `DELETE /messages/{message_id}`. If the platform is unavailable, it waits for up to an hour and then fails with `expired`.',
    example: '2026-12-24T08:00:00Z',
  })
  send_at?: string;

  @BooleanField({
    optional: true,
    description:
      'Test keys only: the sandbox bills the message as WhatsApp would, so that its `billing` and `GET /usage/platforms` show a price.',
  })
  sandbox_billed?: boolean;

  @NestedField(SendOptionsDto, { optional: true, description: 'Options for the send.' })
  options?: SendOptionsDto;
}
