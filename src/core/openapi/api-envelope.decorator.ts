import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { MetaDto, PageMetaDto } from './meta.dto';

interface EnvelopeOptions {
  status?: number;
  array?: boolean;
  /** The fields that differ from the example of the class. */
  example?: object;
}

/** Documents a successful answer with one object, or with a plain array of them. */
export function ApiEnvelope(model: Type, { status = 200, array = false, example }: EnvelopeOptions = {}) {
  const $ref = getSchemaPath(model);
  const data = array
    ? { type: 'array', description: 'All items.', items: { $ref } }
    : { $ref, description: 'The requested resource, or the result of the operation.', example };
  return envelope(status, status === 201 ? 'Created.' : 'Success.', data, model, MetaDto);
}

/** Documents a successful answer with a page of a list. @param others further classes that its items may have */
export function ApiPage(model: Type, ...others: Type[]) {
  return ApiPageWithMeta(PageMetaDto, model, ...others);
}

/** As {@link ApiPage}, for a list with further fields in its `meta`. */
export function ApiPageWithMeta(meta: Type<PageMetaDto>, model: Type, ...others: Type[]) {
  const [item, ...rest] = [model, ...others].map((each) => ({ $ref: getSchemaPath(each) }));
  const items = rest.length > 0 ? { anyOf: [item!, ...rest] } : item!;
  const data = { type: 'array', description: 'Items of the page.', items };
  return applyDecorators(ApiExtraModels(meta, ...others), envelope(200, 'One page of the list.', data, model, meta));
}

/** Documents a successful answer whose data is not described by a class. */
export function ApiEnvelopeOf(meta: Type<MetaDto>, data: object) {
  return envelope(200, 'Success.', data, meta, meta);
}

function envelope(status: number, description: string, data: object, model: Type, meta: Type) {
  const success = { type: 'boolean', enum: [true], description: 'Always true.' };
  const properties = { success, data, meta: { $ref: getSchemaPath(meta), description: 'Metadata of the response.' } };
  return applyDecorators(
    ApiExtraModels(model, MetaDto, PageMetaDto),
    ApiResponse({
      status,
      description,
      schema: { type: 'object', description: 'Response envelope.', required: Object.keys(properties), properties },
    }),
  );
}
