import { ListField, textItems } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

/** Longest text of a parameter: the body of a template has 1,024 characters. */
const MAX_PARAMETER_LENGTH = 1_024;

export class TemplateParametersDto {
  @TextField({
    max: 2_048,
    optional: true,
    description: "The text of the header's parameter, or the URL of its image, video or document.",
    example: '4711',
  })
  header?: string;

  @ListField({
    max: 100,
    items: textItems(MAX_PARAMETER_LENGTH),
    optional: true,
    description: 'The parameters of the body, in the order of their numbers; named ones in the order of the template.',
    example: ['Ada', 'ready'],
  })
  body: string[] = [];

  @ListField({
    max: 10,
    items: textItems(MAX_PARAMETER_LENGTH),
    optional: true,
    description: 'The parameters of the buttons that take one, in their order.',
    example: ['4711'],
  })
  buttons: string[] = [];
}

export class SendTemplateDto {
  @TextField({ max: 512, description: 'The name of the template.', example: 'order_update' })
  name!: string;

  @TextField({ max: 20, description: 'Its language, as `GET /templates` names it.', example: 'en_US' })
  language!: string;

  @NestedField(TemplateParametersDto, {
    optional: true,
    description: 'Its parameters; `GET /templates` has their JSON Schema.',
  })
  parameters: TemplateParametersDto = new TemplateParametersDto();
}
