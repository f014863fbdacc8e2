import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { fromPublicId, type Resource } from '#contracts';
import { ApiError } from './api-error';

/** The UUID of a path parameter; a malformed id is as unknown as any other. */
export function PublicId(resource: Resource): Type<PipeTransform<string, string>> {
  @Injectable()
  class PublicIdPipe implements PipeTransform<string, string> {
    transform(value: string): string {
      const uuid = fromPublicId(resource, value);
      if (uuid === undefined) throw ApiError.notFound(resource, value);
      return uuid;
    }
  }
  return PublicIdPipe;
}
