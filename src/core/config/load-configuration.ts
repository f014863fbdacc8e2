import { Configuration, ConfigurationError } from './configuration';
import { SCHEMA } from './configuration.schema';
import { consistencyFaults } from './consistency';
import { isTogether, isVariable, variablesOf, type Group, type Values, type Variable } from './variable';

/**
 * Reads every setting. An empty variable counts as unset; spaces around a value are ignored.
 * @throws ConfigurationError with all faults at once; none contains the value of a secret
 */
export function loadConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const faults: string[] = [];
  const settings = readGroup(SCHEMA, env, faults) as Values<typeof SCHEMA>;
  faults.push(...consistencyFaults(settings, env));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return deepFreeze(Object.assign(Object.create(Configuration.prototype) as Configuration, settings));
}

function readGroup(group: Group, env: NodeJS.ProcessEnv, faults: string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(group).map(([key, node]) => {
      if (isVariable(node)) return [key, readVariable(node, env, faults)];
      if (isTogether(node)) return [key, readTogether(node.together, env, faults)];
      return [key, readGroup(node, env, faults)];
    }),
  );
}

function readTogether(group: Group, env: NodeJS.ProcessEnv, faults: string[]): Record<string, unknown> | undefined {
  const names = variablesOf(group).map(({ name }) => name);
  const missing = names.filter((name) => given(env, name) === undefined);
  const values = readGroup(group, env, faults);
  if (missing.length === names.length) return undefined;
  if (missing.length === 0) return values;
  faults.push(`${missing.join(', ')}: not set; accepted: all of ${names.join(', ')} together, or none of them`);
  return undefined;
}

function readVariable(variable: Variable<unknown>, env: NodeJS.ProcessEnv, faults: string[]): unknown {
  const text = given(env, variable.name);
  if (text === undefined) {
    const fallback = typeof variable.fallback === 'function' ? variable.fallback(env) : variable.fallback;
    return fallback === undefined ? undefined : variable.parser.parse(fallback);
  }
  const value = variable.parser.parse(text);
  if (value === undefined) {
    const shown = variable.secret ? 'the value given (a secret, not shown)' : JSON.stringify(text.slice(0, 100));
    faults.push(`${variable.name}: ${shown} is not valid; accepted: ${variable.parser.accepts}`);
  }
  return value;
}

function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) deepFreeze(child);
  return Object.freeze(value);
}
