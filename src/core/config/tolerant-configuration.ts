import { type Configuration, ConfigurationError } from './configuration';
import { CONFIGURATION_VARIABLES } from './configuration.schema';
import { loadConfiguration } from './load-configuration';

export interface TolerantConfiguration {
  /** Each invalid variable has its default here. */
  configuration: Configuration;
  /** One line per fault, as in {@link ConfigurationError}. */
  faults: readonly string[];
  /** The variables that the faults name. */
  invalid: ReadonlySet<string>;
}

/** For commands that must work with an invalid configuration: reads the valid variables, and names the others. */
export function tolerantConfiguration(env: NodeJS.ProcessEnv): TolerantConfiguration {
  const faults: string[] = [];
  const invalid = new Set<string>();
  for (;;) {
    const valid = Object.fromEntries(Object.entries(env).filter(([name]) => !invalid.has(name)));
    try {
      return { configuration: loadConfiguration(valid), faults, invalid };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const known = invalid.size;
      // A fault that names a variable left out before is only a consequence: a key whose certificate is not readable.
      faults.push(...error.faults.filter((line) => !variablesIn(line).some((name) => invalid.has(name))));
      for (const name of error.faults.flatMap(variablesIn)) invalid.add(name);
      // The next try leaves these variables out. A fault without a new variable would repeat forever.
      if (invalid.size === known) throw error;
    }
  }
}

/** A fault of several variables (a certificate without its key) leaves none of them usable. */
function variablesIn(line: string): string[] {
  const words = new Set(line.match(/[A-Z][A-Z0-9_]+/g));
  return CONFIGURATION_VARIABLES.map(({ name }) => name).filter((name) => words.has(name));
}
