import type { DoctorCheck, DoctorFinding, Platform } from '#contracts';
import { DIAGNOSES, type PlatformOptions } from '#platforms';
import { CONFIGURATION_VARIABLES } from '../../core/config/configuration.schema';

/** Credentials and set-up of one platform, as the platform itself reports them. */
export class PlatformCheck implements DoctorCheck {
  readonly variables: readonly string[];

  constructor(
    readonly name: Platform,
    private readonly options: PlatformOptions,
  ) {
    const prefix = `${name.toUpperCase()}_`;
    this.variables = CONFIGURATION_VARIABLES.map((variable) => variable.name).filter((each) => each.startsWith(prefix));
  }

  check(signal: AbortSignal): Promise<DoctorFinding[]> {
    return DIAGNOSES[this.name](this.options, signal);
  }
}
