import { setImmediate } from 'node:timers/promises';
import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { fromPublicId, type Resource } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';

/**
 * Converts a public id to its UUID. A malformed id is answered as an unknown id. Nest runs a handler's pipes concurrently
 * and answers with the first failure, so this pipe waits one turn of the event loop: faults of the body then come first,
 * unless a check of the body asks a name server (ParameterChecks).
 */
export function PublicId(resource: Resource): Type<PipeTransform<string, Promise<string>>> {
  @Injectable()
  class PublicIdPipe implements PipeTransform<string, Promise<string>> {
    async transform(value: string): Promise<string> {
      const uuid = fromPublicId(resource, value);
      if (uuid !== undefined) return uuid;
      await setImmediate();
      throw ApiError.notFound(resource, value);
    }
  }
  return PublicIdPipe;
}
