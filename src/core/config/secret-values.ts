import { percentDecoded } from '../percent-decoded';
import { SCHEMA } from './configuration.schema';
import { variablesOf } from './variable';

/** The values of all variables that are never shown, and the passwords in those that are URLs. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  return variablesOf(SCHEMA)
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const value = env[name]?.trim();
      if (!value) return [];
      const password = URL.parse(value)?.password;
      return password ? [value, password, percentDecoded(password)] : [value];
    });
}
