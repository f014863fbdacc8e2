import { ApiProperty } from '@nestjs/swagger';
import { ID_PREFIXES, type Resource } from '#contracts';

/** A resource's public id, for the document: a TypeID, https://github.com/jetify-com/typeid. */
export function publicIdSchema(resource: Resource) {
  const prefix = ID_PREFIXES[resource];
  return { pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, example: `${prefix}_01h455vb4pex5vsknk084sn02q` };
}

export function ApiId(
  resource: Resource,
  description: string,
  { nullable = false, required = true } = {},
): PropertyDecorator {
  return ApiProperty({
    description,
    ...publicIdSchema(resource),
    ...(nullable && { type: String, nullable }),
    required,
  });
}
