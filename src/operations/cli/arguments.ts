import type { INestApplicationContext } from '@nestjs/common';
import { fromPublicId, toPublicId, newUuid, type Resource } from '#contracts';
import { ParameterChecks } from '../../core/validation/parameter-checks.service';
import { ParameterValidation } from '../../core/validation/validation.pipe';
import { CommandFailure, EXIT } from './failure';

/** The UUID of a public id. @throws CommandFailure (wrong usage) for any other text */
export function idOf(resource: Resource, id: string): string {
  const uuid = fromPublicId(resource, id);
  if (uuid !== undefined) return uuid;
  const [prefix] = toPublicId(resource, newUuid()).split('_');
  throw new CommandFailure(`${id} is not an id of this kind: it must begin with ${prefix}_`, EXIT.usage);
}

/** `a, b` → `['a', 'b']` */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Validates a body as the API does. @throws ApiError with all its faults */
export async function validated<T extends object>(
  services: INestApplicationContext,
  type: new () => T,
  body: object,
): Promise<T> {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const validation = new ParameterValidation(services.get(ParameterChecks));
  return (await validation.transform(given, { type: 'body', metatype: type })) as T;
}
