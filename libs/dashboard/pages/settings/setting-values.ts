import type { Settings, SettingsUpdateParams } from '#client';

type Group = Record<string, unknown>;

/** Values of the form, by dotted path. */
export type SettingValues = Record<string, unknown>;

/** @returns undefined for a setting that this gateway does not have */
export function valueAt(settings: Settings, name: string): unknown {
  return name.split('.').reduce<unknown>((group, part) => (group as Group | undefined)?.[part], settings);
}

/** Only what differs: a setting that is left out stays unchanged. */
export function changesOf(settings: Settings, values: SettingValues): SettingsUpdateParams {
  const changes: Group = {};
  for (const [name, value] of Object.entries(values)) {
    if (JSON.stringify(value) === JSON.stringify(valueAt(settings, name))) continue;
    const path = name.split('.');
    let group = changes;
    for (const part of path.slice(0, -1)) group = (group[part] ??= {}) as Group;
    group[path.at(-1)!] = MAPS.has(name) ? withRemovals(valueAt(settings, name) as Group, value as Group) : value;
  }
  return changes;
}

/** Settings with entries of any name. */
const MAPS: ReadonlySet<string> = new Set(['ai.prices', 'platform_prices']);

/** In a change, null removes an entry. */
function withRemovals(before: Group, after: Group): Group {
  const removed = Object.keys(before).filter((model) => !(model in after));
  return { ...after, ...Object.fromEntries(removed.map((model) => [model, null])) };
}
