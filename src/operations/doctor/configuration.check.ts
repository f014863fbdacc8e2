import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { CONFIGURATION_VARIABLES } from '../../core/config/configuration.schema';

const KNOWN = new Set(CONFIGURATION_VARIABLES.map(({ name }) => name));
/** Prefixes that no other program's variables have, so an unknown name is a mistake. */
const OURS = /^(?:TELEGRAM|DISCORD|WHATSAPP|WEBHOOK|BACKUP)_/;

export class ConfigurationCheck implements DoctorCheck {
  readonly name = 'configuration';
  readonly variables = [];

  /** @param faults one line each, from ConfigurationError */
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly faults: readonly string[],
  ) {}

  check(): Promise<DoctorFinding[]> {
    const unknown = Object.keys(this.env).filter((name) => OURS.test(name) && !KNOWN.has(name));
    const findings = [
      ...this.faults.map((line) => finding('configuration.invalid', line)),
      ...unknown.map((name) => finding('configuration.unknown', `${name} is not a variable of the gateway`)),
    ];
    const set = [...KNOWN].filter((name) => this.env[name]?.trim()).length;
    return Promise.resolve(
      findings.length > 0 ? findings : [healthy(this.name, `variables that are set: ${set}, all valid`)],
    );
  }
}
