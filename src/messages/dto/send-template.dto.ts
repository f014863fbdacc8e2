import { ListField, textItems } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

/** Longest text of a parameter: the body of a template has 1,024 characters. */
const MAX_PARAMETER_LENGTH = 1_024;

export class TemplateParametersDto {
  @TextField({
    max: 2_048,
    optional: true,
    description: "Text of the header parameter, or URL of the header's image, video or document.",
    example: '4711',
  })
  header?: string;

  @ListField({
    max: 100,
    items: textItems(MAX_PARAMETER_LENGTH),
    optional: true,
    description:
      'Body parameters: numbered ones in the order of their numbers, named ones in the order of the template.',
    example: ['Ada', 'ready'],
  })
  body: string[] = [];

  @ListField({
    max: 10,
    items: textItems(MAX_PARAMETER_LENGTH),
    optional: true,
    description: 'Parameters of the buttons that take one, in order.',
    example: ['4711'],
  })
  buttons: string[] = [];
}

export class SendTemplateDto {
  @TextField({ max: 512, description: 'Name of the template.', example: 'order_update' })
  name!: string;

  @TextField({ max: 20, description: 'Language of the template, as in `GET /templates`.', example: 'en_US' })
  language!: string;

  @NestedField(TemplateParametersDto, {
    optional: true,
    description: 'Parameters of the template; `GET /templates` has their JSON Schema.',
  })
  parameters: TemplateParametersDto = new TemplateParametersDto();
}
