import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../../core/openapi/api-id.decorator';
import { DatedListQuery } from '../../../core/pagination/list-query.dto';
import { SortBy } from '../../../core/pagination/sort.decorator';
import { constraint, field, type FieldOptions } from '../../../core/validation/fields/field.decorator';
import { IntField } from '../../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../../core/validation/fields/text-fields.decorator';

const text = (description: string, example?: string) =>
  ApiProperty({ type: String, nullable: true, description, ...(example && { example }) });

export class AuditEntryDto {
  @ApiId('audit_entry', 'Id of the entry.')
  id!: string;

  @ApiProperty({ format: 'date-time', description: 'When the response was sent.' })
  timestamp!: string;

  @text('Id of the key; null if the request had no existing key.', 'key_01h455vb4pex5vsknk084sn02q')
  key_id!: string | null;

  @text('Current name of the key.', 'Shop back end')
  key_name!: string | null;

  @text('The key, masked except for its last four characters; null without a well-formed key.', 'service_sk_live_…Xk9b')
  masked_key!: string | null;

  @ApiProperty({ description: 'HTTP method.', example: 'GET' })
  method!: string;

  @ApiProperty({
    description: 'Path without the query, cut to 256 characters.',
    example: '/api/v1/messages/msg_01h455vb4pex5vsknk084sn02q',
  })
  path!: string;

  @text('Route that matched the path; null if none did.', '/api/v1/messages/:message_id')
  route!: string | null;

  @ApiProperty({ description: 'Address of the client.', example: '203.0.113.9' })
  client_ip!: string;

  @ApiProperty({
    type: 'integer',
    description: 'HTTP status of the response; 499 if the client disconnected first.',
    example: 200,
  })
  status!: number;

  @ApiId('request', 'Id of the request.')
  request_id!: string;

  @ApiProperty({ description: 'Duration of the request, in milliseconds.', example: 3.2 })
  duration_ms!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Number of requests in the entry: 1, unless many requests of one key, or of one address without a valid key, were refused within a minute.',
    example: 1,
  })
  count!: number;

  @ApiProperty({ format: 'date-time', description: 'When the last request of the entry was answered.' })
  last_at!: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** HTTP methods, separated by commas. */
function MethodsField(options: FieldOptions): PropertyDecorator {
  const requirement = `must be one or more of ${METHODS.join(', ')}, separated by commas`;
  const isList = (value: unknown) =>
    typeof value === 'string' && value.split(',').every((name) => METHODS.includes(name));
  return field({ type: String, pattern: '^[A-Z]+(,[A-Z]+)*$' }, options, constraint('methods', requirement, isList));
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = {
  timestamp: 'createdAt',
  created_at: 'createdAt',
};

export class AuditListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @TextField({
    max: 100,
    optional: true,
    description: 'Return only requests with this key.',
    example: 'key_01h455vb4pex5vsknk084sn02q',
  })
  key_id?: string;

  @TextField({
    max: 100,
    optional: true,
    description: 'Return only the entry of this request.',
    example: 'req_01h455vb4pex5vsknk084sn02q',
  })
  request_id?: string;

  @MethodsField({
    optional: true,
    description: `Return only requests with these methods: one or more of ${METHODS.join(', ')}, separated by commas.`,
    example: 'POST,PATCH,DELETE',
  })
  method?: string;

  @IntField({ min: 100, max: 599, optional: true, description: 'Return only requests with this response status.' })
  status?: number;

  @TextField({
    max: 2_048,
    optional: true,
    description:
      'Return only requests to this route; its parameters may have any names: `/api/v1/messages/{id}`. If `start_date` and `end_date` are at most 24 hours apart, an exact path is accepted too.',
    example: '/api/v1/messages/send',
  })
  path?: string;
}
