import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

const meta = {
  type: 'object',
  description: 'About the answer itself.',
  required: ['request_id', 'timestamp'],
  properties: {
    request_id: {
      type: 'string',
      description: 'Also in the header X-Request-Id.',
      example: 'req_01h455vb4pex5vsknk084sn02q',
    },
    timestamp: { type: 'string', format: 'date-time', description: 'When the answer was made.' },
  },
};

const count = (description: string) => ({ type: 'integer', description });
const pagination = {
  type: 'object',
  description: 'Where the page stands in the list.',
  required: ['page', 'per_page', 'total', 'total_pages'],
  properties: {
    page: count('The page, from 1.'),
    per_page: count('Items on a page.'),
    total: count('Items in the whole list.'),
    total_pages: count('Pages in the whole list.'),
  },
};

const success = { type: 'boolean', enum: [true], description: 'Always true.' };

/** Documents a successful answer with one object, or with a plain array of them. */
export function ApiEnvelope(model: Type, { status = 200, array = false }: { status?: number; array?: boolean } = {}) {
  const item = { $ref: getSchemaPath(model) };
  const data = array ? { type: 'array', items: item } : item;
  return applyDecorators(
    ApiExtraModels(model),
    ApiResponse({
      status,
      description: 'Success.',
      schema: { type: 'object', required: ['success', 'data', 'meta'], properties: { success, data, meta } },
    }),
  );
}

/** Documents a successful answer with a page of a list. */
export function ApiPage(model: Type) {
  const listMeta = {
    ...meta,
    required: [...meta.required, 'pagination'],
    properties: { ...meta.properties, pagination },
  };
  return applyDecorators(
    ApiExtraModels(model),
    ApiResponse({
      status: 200,
      description: 'A page of the list.',
      schema: {
        type: 'object',
        required: ['success', 'data', 'meta'],
        properties: { success, data: { type: 'array', items: { $ref: getSchemaPath(model) } }, meta: listMeta },
      },
    }),
  );
}
