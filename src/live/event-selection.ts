import { EVENT_TYPES, hasScope, type EventType, type Scope } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';

/** `message.*` → the types of the family. */
const FAMILIES = new Map<string, EventType[]>();
for (const type of EVENT_TYPES) {
  const family = `${type.split('.')[0]}.*`;
  FAMILIES.set(family, [...(FAMILIES.get(family) ?? []), type]);
}

/** The values that `types` may name. */
export const SELECTORS: readonly string[] = [...FAMILIES.keys(), ...EVENT_TYPES];

/** The event types that `types` names (`message.*,system.health`). Unknown names are kept as they are. */
export function namedTypes(types: string): EventType[] {
  return types.split(',').flatMap((name) => FAMILIES.get(name) ?? (name as EventType));
}

/**
 * The event types of a stream: the named types, or all that the key may see.
 * @param types valid names
 * @throws ApiError INSUFFICIENT_PERMISSIONS if a named type needs a scope that the key does not hold
 */
export function selectTypes(scopes: readonly Scope[], types: string | undefined): ReadonlySet<EventType> {
  const named = types === undefined ? undefined : namedTypes(types);
  if (named) assertMaySee(scopes, named);
  return new Set(named ?? EVENT_TYPES.filter((type) => hasScope(scopes, scopeOf(type))));
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS if one of the types needs a scope that the key does not hold */
export function assertMaySee(scopes: readonly Scope[], types: readonly EventType[]): void {
  const lacking = types.map(scopeOf).find((scope) => !hasScope(scopes, scope));
  if (lacking === undefined) return;
  throw new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    { required_scope: lacking, key_scopes: scopes },
    `These events need the scope ${lacking}.`,
  );
}

/** The scope that a key needs to see events of a type. */
export function scopeOf(type: EventType): Scope {
  if (/^(?:message|attachment)[.]/.test(type)) return 'read:messages';
  return type.startsWith('conversation.') ? 'read:conversations' : 'read:status';
}
