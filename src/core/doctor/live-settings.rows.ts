import type { Configuration } from '../config/configuration';
import { defaultSettings, withChanges, type Settings, type SettingsChanges } from '../settings/settings';
import type { DoctorDatabase } from './doctor-database';

/** The settings of the live environment as a gateway would read them. @throws NotCheckable without a database */
export async function liveSettings({ ai, mail }: Configuration, database: DoctorDatabase): Promise<Settings> {
  const [row] = await database.query<{ document: SettingsChanges }>(
    `SELECT document FROM settings WHERE environment = 'live'`,
  );
  return withChanges(defaultSettings({ model: ai.model, ownerEmail: mail.ownerEmail ?? null }), row?.document ?? {});
}
