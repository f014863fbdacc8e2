import type { DoctorCheck, DoctorFinding, Platform } from '#contracts';
import { DIAGNOSES, type PlatformOptions } from '#platforms';
import type { Configuration } from '../../core/config/configuration';
import { CONFIGURATION_VARIABLES } from '../../core/config/configuration.schema';

/** Credentials and set-up of one platform, as the platform itself reports them. */
export class PlatformCheck implements DoctorCheck {
  readonly variables: readonly string[];

  constructor(
    readonly name: Platform,
    private readonly options: PlatformOptions & Pick<Configuration, 'http'>,
  ) {
    const prefix = `${name.toUpperCase()}_`;
    this.variables = CONFIGURATION_VARIABLES.map((variable) => variable.name).filter((each) => each.startsWith(prefix));
  }

  async check(signal: AbortSignal): Promise<DoctorFinding[]> {
    const findings = await DIAGNOSES[this.name](this.options, signal);
    const { publicUrl } = this.options.http;
    if (publicUrl === undefined) return findings;
    const base = publicUrl.replace(/\/$/, '');
    const complete = (advice: string | null) => advice?.replace('…/callbacks/', `${base}/callbacks/`) ?? null;
    return findings.map((found) => ({ ...found, fix: complete(found.fix), mend: complete(found.mend) }));
  }
}
