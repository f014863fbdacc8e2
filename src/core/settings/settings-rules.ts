import { textFault, type ParameterFault } from '#contracts';
import { isObject, type Settings } from './settings';

/** Faults of one value, by its dotted name. */
export type Rule = (value: unknown, name: string) => ParameterFault[];

/** @param maximum in characters */
export function text(maximum: number): Rule {
  return (value, name) => {
    const reason = typeof value === 'string' ? textFault(value, maximum) : 'must be a string';
    return reason === undefined ? [] : [fault(name, reason, value)];
  };
}

export function integer(minimum: number, maximum: number): Rule {
  return condition(
    `must be an integer from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
}

export function number(minimum: number, maximum: number): Rule {
  return condition(
    `must be a number from ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  );
}

export const flag = condition('must be true or false', (value) => typeof value === 'boolean');

export function oneOf(...words: readonly string[]): Rule {
  return condition(`must be ${words.join(' or ')}`, (value) => typeof value === 'string' && words.includes(value));
}

export const email = condition(
  'must be an e-mail address or null',
  (value) =>
    value === null ||
    (typeof value === 'string' && textFault(value, 254) === undefined && /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(value)),
);

export function list(maximum: number, item: Rule): Rule {
  return (value, name) => {
    if (!Array.isArray(value)) return [fault(name, 'must be an array', value)];
    if (value.length > maximum) return [fault(name, `must have at most ${maximum} items`, value)];
    return value.flatMap((entry, index) => item(entry, `${name}[${index}]`));
  };
}

/** Objects by any name but that of the prototype, which setting it would exchange; `null` takes an entry away. */
export function table(maximum: number, nameRule: Rule, fields: Readonly<Record<string, Rule>>): Rule {
  return (value, name) => {
    if (!isObject(value)) return [fault(name, 'must be an object', value)];
    if (Object.keys(value).length > maximum) return [fault(name, `must have at most ${maximum} entries`, value)];
    return Object.entries(value).flatMap(([key, entry]) => {
      const entryName = `${name}.${key}`;
      if (key === '__proto__') return [unknown(entryName)];
      const wrongName = nameRule(key, entryName);
      if (wrongName.length > 0) return wrongName;
      return entry === null ? [] : partial(fields)(entry, entryName);
    });
  };
}

/** An object with some of the fields. */
export function partial(fields: Readonly<Record<string, Rule>>): Rule {
  return (value, name) => {
    if (!isObject(value)) return [fault(name, 'must be an object', value)];
    return Object.entries(value).flatMap(([key, entry]) => {
      const entryName = name === '' ? key : `${name}.${key}`;
      const rule = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return rule ? rule(entry, entryName) : [unknown(entryName)];
    });
  };
}

function unknown(parameter: string) {
  return { parameter, reason: 'is not a known setting' };
}

function condition(reason: string, accepts: (value: unknown) => boolean): Rule {
  return (value, name) => (accepts(value) ? [] : [fault(name, reason, value)]);
}

function fault(parameter: string, reason: string, value: unknown): ParameterFault {
  return { parameter, reason, value };
}

const price = number(0, 1_000_000);

const GROUPS: { [G in keyof Settings]: { [F in keyof Settings[G]]: Rule } } = {
  ai: {
    provider: oneOf('anthropic'),
    model: text(200),
    temperature: number(0, 1),
    max_tokens: integer(1, 64_000),
    system_prompt: text(20_000),
    context_messages: integer(1, 100),
    auto_reply: flag,
    fallback_models: list(8, text(200)),
    prices: table(200, text(200), { input: price, output: price, cache_read: price, cache_write: price }),
  },
  rate_limits: { messages_per_minute: integer(1, 100_000) },
  conversations: { archive_after_days: integer(1, 3_650) },
  notifications: { owner_email: email },
  retention: { audit_days: integer(1, 3_650), delivery_days: integer(1, 3_650) },
};

/** Every fault of a partial change of settings. */
export const settingsFaults: Rule = partial(
  Object.fromEntries(Object.entries(GROUPS).map(([group, fields]) => [group, partial(fields)])),
);
