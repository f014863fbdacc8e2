import { ApiProperty } from '@nestjs/swagger';
import { ID_PREFIXES, type Resource } from '#contracts';

/** Documents a property that holds the public id of a resource. */
export function ApiId(resource: Resource, description: string): PropertyDecorator {
  const prefix = ID_PREFIXES[resource];
  return ApiProperty({
    description,
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    example: `${prefix}_01h455vb4pex5vsknk084sn02q`,
  });
}
