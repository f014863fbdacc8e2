import { setImmediate } from 'node:timers/promises';
import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { fromPublicId, type Resource } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';

/**
 * Converts a public id to its UUID; a malformed id is answered as an unknown one. Nest runs the pipes of a handler
 * concurrently, and the first failure is the answer: this pipe waits a turn of the event loop, so that faults of the body
 * come first. A malformed id comes first only if a check of the body asks a name server (ParameterChecks).
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
