import { IdField } from '../../core/validation/fields/id-field.decorator';

export class SandboxAttachmentDto {
  @IdField('attachment', { description: 'Id of an uploaded file.' })
  id!: string;
}
