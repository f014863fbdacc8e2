import { ATTACHMENT_KINDS, type AttachmentKind } from '#contracts';
import { MAX_URL_LENGTH } from '../../core/egress/address-guard.service';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

export class AttachmentToSendDto {
  @IdField('attachment', {
    optional: true,
    description: 'A stored attachment, such as an upload; it may be sent repeatedly.',
  })
  id?: string;

  @TextField({
    max: MAX_URL_LENGTH,
    optional: true,
    format: 'uri',
    description: 'Instead of `id`: where the gateway fetches the file. Redirects are not followed.',
    example: 'https://example.com/invoices/4711.pdf',
  })
  url?: string;

  @EnumField({
    words: ATTACHMENT_KINDS,
    optional: true,
    description: '`document` sends the file as a document. Other words have no effect: the first bytes decide.',
  })
  kind?: AttachmentKind;

  @TextField({
    max: 255,
    optional: true,
    description: 'The name of the file; default: its own, or the last part of the URL.',
    example: 'invoice-4711.pdf',
  })
  filename?: string;
}
