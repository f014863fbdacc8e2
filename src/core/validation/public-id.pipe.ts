import { setImmediate } from 'node:timers/promises';
import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { fromPublicId, type Resource } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';

/**
 * The UUID of a path parameter; a malformed id is as unknown as any other. Nest runs the pipes of a handler side by side,
 * and the first to fail answers: a turn of the event loop later, the faults of the body have been told. Only where a check
 * of the body asks a name server (ParameterChecks) does a malformed id come first: there is nothing there to be changed.
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
