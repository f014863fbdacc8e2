type Group = Record<string, unknown>;

/** Dotted path → value in the form. */
export type SettingValues = Record<string, unknown>;

/** @returns undefined for a setting that this gateway does not have */
export function valueAt(settings: object, name: string): unknown {
  return name.split('.').reduce<unknown>((group, part) => (group as Group | undefined)?.[part], settings);
}

/** Only the changed settings: the gateway leaves all others unchanged. */
export function changesOf(settings: object, values: SettingValues): object {
  const changes: Group = {};
  for (const [name, value] of Object.entries(values)) {
    if (isSame(value, valueAt(settings, name))) continue;
    const path = name.split('.');
    let group = changes;
    for (const part of path.slice(0, -1)) group = (group[part] ??= {}) as Group;
    // The values of a map are maps: the form offers no other input for them.
    group[path.at(-1)!] = MAPS.has(name) ? withRemovals(valueAt(settings, name) as Group, value as Group) : value;
  }
  return changes;
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Settings that are maps, with arbitrary keys. */
const MAPS: ReadonlySet<string> = new Set(['ai.prices', 'platform_prices']);

/** Adds null for each removed entry: in a PATCH, null removes an entry. */
function withRemovals(before: Group, after: Group): Group {
  const removed = Object.keys(before).filter((model) => !(model in after));
  return { ...after, ...Object.fromEntries(removed.map((model) => [model, null])) };
}
