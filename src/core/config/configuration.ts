import type { SCHEMA } from './configuration.schema';
import type { Values } from './variable';

type Settings = Values<typeof SCHEMA>;

/** The validated settings of the process, deeply frozen; also the token under which Nest injects them. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- every field is set by loadConfiguration, the only maker
export interface Configuration extends Settings {}
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest injects by a run-time token, which an interface is not
export abstract class Configuration {}

/** The environment is invalid. `faults` has one line each: the variable, its value, the accepted values. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigurationError';
  }
}
