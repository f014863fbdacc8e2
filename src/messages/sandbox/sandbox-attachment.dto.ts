import { IdField } from '../../core/validation/fields/id-field.decorator';

export class SandboxAttachmentDto {
  @IdField('attachment', { description: 'An uploaded file.' })
  id!: string;
}
