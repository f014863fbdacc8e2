import type { Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import {
  DEFAULT_MODELS,
  fullModelName,
  shownModelName,
  textFault,
  type AiProviderName,
  type ParameterFault,
} from '#contracts';
import { faultsOf } from '../validation/validation.pipe';
import { isGroup, isObject, type JsonObject } from './json-object';
import { mapOf, type MapOf } from './map-field.decorator';
import { dailyUsdPerPerson, MAX_ENDPOINTS, SettingsDto, type ModelPricesDto } from './settings.dto';

export type Settings = SettingsDto;

export type SettingsChanges = Partial<{ [G in keyof Settings]: Partial<Settings[G]> }>;

interface InitialSettings {
  provider?: AiProviderName | undefined;
  model?: string | undefined;
  ownerEmail: string | null;
}

/** The settings of a deployment in which none was changed. */
export function defaultSettings({ provider = 'anthropic', model, ownerEmail }: InitialSettings): Settings {
  const settings = new SettingsDto();
  settings.ai.provider = provider;
  settings.ai.model = model ?? DEFAULT_MODELS[provider];
  settings.notifications.owner_email = ownerEmail;
  return settings;
}

/** The defaults, with the changes merged over them. */
export function withChanges(defaults: Settings, changes: SettingsChanges): Settings {
  // The result has exactly the fields of the defaults.
  const settings = overlay(defaults, changes) as unknown as Settings;
  const isSet = (name: keyof Settings['ai']) => Object.hasOwn(changes.ai ?? {}, name);
  // The default model is that of the provider, unless the environment names one.
  const isProviders = defaults.ai.model === DEFAULT_MODELS[defaults.ai.provider];
  if (!isSet('model') && isProviders) settings.ai.model = DEFAULT_MODELS[settings.ai.provider];
  if (!isSet('daily_usd_per_person'))
    settings.ai.daily_usd_per_person = dailyUsdPerPerson(settings.ai.budget.daily_usd);
  // An earlier version stored prices without `input` or `output`: they do not count, and could not be sent back.
  const whole = Object.entries(settings.ai.prices).filter(([, price]) => missingOf(price).length === 0);
  // Stored names without a provider are Anthropic's: an earlier version knew no other.
  settings.ai.prices = Object.fromEntries(whole.map(([model, price]) => [fullModelName(model, 'anthropic'), price]));
  // An earlier version stored `pdf_pages`: its limit of pages is gone, but 0 still means that the model gets no PDF.
  const media: { pdf_pages?: number; documents?: number } = changes.ai?.media ?? {};
  if (media.documents === undefined && media.pdf_pages === 0) settings.ai.media.documents = 0;
  // An earlier version stored up to 10,000.
  settings.webhooks.max_endpoints = Math.min(settings.webhooks.max_endpoints, MAX_ENDPOINTS);
  return settings;
}

/** The settings as the API shows them: the name of each price means its model when it is sent back. */
export function withShownPrices(settings: Settings): Settings {
  const { provider, prices } = settings.ai;
  const shown = Object.entries(prices).map(([model, price]) => [shownModelName(model, provider), price] as const);
  return { ...settings, ai: { ...settings.ai, prices: Object.fromEntries(shown) } };
}

/** The faults of prices that a change leaves incomplete. @param document after the change */
export function priceFaults({ ai }: SettingsChanges, { ai: changed }: SettingsChanges): ParameterFault[] {
  return Object.keys(changed?.prices ?? {}).flatMap((model) => {
    const price = ai?.prices?.[model];
    // Null removes a price.
    if (!price) return [];
    return missingOf(price).map((field) => ({ parameter: `ai.prices.${model}.${field}`, reason: 'must be set' }));
  });
}

function missingOf(price: Partial<ModelPricesDto>): string[] {
  return (['input', 'output'] as const).filter((field) => typeof price[field] !== 'number');
}

function overlay(defaults: object, changes: object): JsonObject {
  const entries = Object.entries(defaults as JsonObject).map(([name, value]) => {
    if (isGroup(value)) return [name, overlay(value, objectIn(changes, name))];
    return [name, Object.hasOwn(changes, name) ? (changes as JsonObject)[name] : value];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/**
 * Merges as RFC 7396 if both are objects. `null` removes an entry of a map, and is a value elsewhere.
 * @param holder its fields are settings; any other name is an entry of a map
 */
export function mergeChanges(document: JsonObject, patch: JsonObject, holder: object = new SettingsDto()): JsonObject {
  const merged: JsonObject = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && !Object.hasOwn(holder, name)) delete merged[name];
    else if (isObject(value)) merged[name] = mergeChanges(objectIn(merged, name), value, objectIn(holder, name));
    else merged[name] = value;
  }
  return merged;
}

function objectIn(holder: object, name: string): JsonObject {
  const value = Object.hasOwn(holder, name) ? (holder as JsonObject)[name] : undefined;
  return isObject(value) ? value : {};
}

/** Every fault of a partial change of settings, in the order of its fields. */
export function settingsFaults(patch: JsonObject): ParameterFault[] {
  return groupFaults(SettingsDto, patch, '');
}

function groupFaults(type: Type<object>, patch: unknown, name: string): ParameterFault[] {
  if (!isObject(patch)) return [fault(name, 'must be an object', patch)];
  const group = new type() as JsonObject;
  // `groupFaults` checks nested groups itself, in the order of the change.
  const fields = Object.entries(patch).filter(([field]) => Object.hasOwn(group, field) && !isGroup(group[field]));
  const errors = validateSync(Object.assign(new type(), Object.fromEntries(fields)), {
    stopAtFirstError: true,
    forbidUnknownValues: false,
  });
  return Object.entries(patch).flatMap(([field, value]) => {
    const parameter = name === '' ? field : `${name}.${field}`;
    if (!Object.hasOwn(group, field)) return [unknown(parameter)];
    const setting = group[field];
    if (isGroup(setting)) return groupFaults(setting.constructor as Type<object>, value, parameter);
    const error = errors.find(({ property }) => property === field);
    if (error) return faultsOf(error, name);
    const map = mapOf(group, field);
    return map ? entryFaults(map, value as JsonObject, parameter) : [];
  });
}

/** An entry may have any name but `__proto__`, which would replace the object's prototype; `null` removes an entry. */
function entryFaults({ of, maxName, namePattern }: MapOf, map: JsonObject, name: string): ParameterFault[] {
  return Object.entries(map).flatMap(([key, entry]) => {
    const parameter = `${name}.${key}`;
    if (key === '__proto__') return [unknown(parameter)];
    const reason = textFault(key, maxName) ?? (key.trim() === '' ? 'must not be blank' : undefined);
    if (reason !== undefined) return [fault(parameter, reason, key)];
    if (namePattern !== undefined && !new RegExp(namePattern).test(key))
      return [fault(parameter, `must match ${namePattern}`, key)];
    return entry === null ? [] : groupFaults(of, entry, parameter);
  });
}

function unknown(parameter: string): ParameterFault {
  return { parameter, reason: 'is not a known setting' };
}

function fault(parameter: string, reason: string, value: unknown): ParameterFault {
  return { parameter, reason, value };
}

/** @param change a valid one, of the settings in `group`; an entry of a map may be empty */
export function hasEmptyGroup(change: object, group: object = new SettingsDto()): boolean {
  const fields = Object.entries(change) as [keyof typeof group, object][];
  return (
    fields.length === 0 || fields.some(([name, value]) => isGroup(group[name]) && hasEmptyGroup(value, group[name]))
  );
}
