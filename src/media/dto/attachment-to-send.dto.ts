import { ATTACHMENT_KINDS, type AttachmentKind } from '#contracts';
import { MAX_URL_LENGTH } from '../../core/egress/address-guard.service';
import { IdField } from '../../core/validation/fields/id-field.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

export class AttachmentToSendDto {
  @IdField('attachment', {
    optional: true,
    description: 'Id of a stored attachment, such as an upload. It may be sent repeatedly.',
  })
  id?: string;

  @TextField({
    max: MAX_URL_LENGTH,
    optional: true,
    format: 'uri',
    description: 'URL from which the gateway fetches the file, instead of `id`. Redirects are not followed.',
    example: 'https://example.com/invoices/4711.pdf',
  })
  url?: string;

  @EnumField({
    words: ATTACHMENT_KINDS,
    optional: true,
    description:
      '`document` sends the file as a document. Other values have no effect: the first bytes of the file decide.',
  })
  kind?: AttachmentKind;

  @TextField({
    max: 255,
    optional: true,
    description: 'Name of the file. Default: its own name, or the last part of the URL.',
    example: 'invoice-4711.pdf',
  })
  filename?: string;
}
