import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { ALL_OF_DEPLOYMENT } from '../../core/secrets/deployment.rows';
import { configuredFingerprints, pepperPath, SECRET_VARIABLES } from '../../core/secrets/deployment-secrets';

/** Checks that the database is used with the same secrets as before. */
export class SecretsCheck implements DoctorCheck {
  readonly name = 'secrets';
  readonly variables = ['API_KEY_PEPPER', 'SECRETS_KEY', 'DATA_DIR', 'DATABASE_URL'];

  constructor(
    private readonly configuration: Configuration,
    private readonly database: DoctorDatabase,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const rows = await this.database.query<{ name: string; value: string }>(ALL_OF_DEPLOYMENT);
    const stored = new Map(rows.map(({ name, value }) => [name, value]));
    // Checks the pepper first: if the key of secrets derives from it, both differ, and the pepper must be corrected.
    const names = Object.keys(SECRET_VARIABLES).filter((name) => stored.has(`${name} fingerprint`));
    if (names.length === 0) return [healthy(this.name, 'the database was not used yet')];
    let fingerprints: Readonly<Record<string, string>>;
    try {
      fingerprints = await configuredFingerprints(this.configuration);
    } catch (error) {
      return [finding('secrets.differ', describeError(error))];
    }
    if (Object.keys(fingerprints).length === 0)
      return [finding('secrets.differ', `${pepperPath(this.configuration.dataDir)} does not exist`)];
    const differs = names.find((name) => stored.get(`${name} fingerprint`) !== fingerprints[name]);
    if (differs === undefined) return [healthy(this.name, 'the secrets are those of the database')];
    return [finding('secrets.differ', `${SECRET_VARIABLES[differs]} is not the one that this database was used with`)];
  }
}
