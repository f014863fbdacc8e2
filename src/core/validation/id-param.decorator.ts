import type { Resource } from '#contracts';
import { publicIdSchema } from '../openapi/api-id.decorator';
import { DocumentedParam } from '../openapi/documented-param.decorator';
import { PublicId } from './public-id.pipe';

/** A path parameter with the public id of a resource; the handler gets its UUID. */
export function IdParam(name: string, resource: Resource, description: string): ParameterDecorator {
  return DocumentedParam(
    name,
    { description, schema: { type: 'string', ...publicIdSchema(resource) } },
    PublicId(resource),
  );
}
