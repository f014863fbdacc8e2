import { fromPublicId, type Resource } from '#contracts';
import { publicIdSchema } from '../../openapi/api-id.decorator';
import { constraint, field, type FieldOptions } from './field.decorator';

/** The public id of a resource; it may name none that exists. */
export function IdField(resource: Resource, options: Omit<FieldOptions, 'example'>): PropertyDecorator {
  const { pattern, example } = publicIdSchema(resource);
  return field(
    { type: String, pattern },
    { ...options, example },
    constraint(
      'id',
      `must be the id of ${withArticle(resource)}`,
      (value) => typeof value === 'string' && fromPublicId(resource, value) !== undefined,
    ),
  );
}

/** The items of a list of public ids. */
export function idItems(resource: Resource): { schema: object; faultOf: (item: unknown) => string | undefined } {
  const { pattern } = publicIdSchema(resource);
  return {
    schema: { type: 'string', pattern },
    faultOf: (item) =>
      typeof item === 'string' && fromPublicId(resource, item) !== undefined
        ? undefined
        : `must be the id of ${withArticle(resource)}`,
  };
}

function withArticle(resource: Resource): string {
  return `${/^[aeiou]/.test(resource) ? 'an' : 'a'} ${resource}`;
}
