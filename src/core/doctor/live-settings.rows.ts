import type { AiProviderName } from '#contracts';
import type { Configuration } from '../config/configuration';
import { defaultSettings, withChanges, type Settings, type SettingsChanges } from '../settings/settings';
import type { DoctorDatabase } from './doctor-database';

/**
 * The settings of the live environment as a gateway would read them.
 * @param provider the AI provider of the settings, until they name one
 * @throws NotCheckable without a database
 */
export async function liveSettings(
  { ai, mail }: Configuration,
  database: DoctorDatabase,
  provider: AiProviderName,
): Promise<Settings> {
  const [row] = await database.query<{ document: SettingsChanges }>(
    `SELECT document FROM settings WHERE environment = 'live'`,
  );
  const ownerEmail = mail.ownerEmail ?? null;
  return withChanges(defaultSettings({ provider, model: ai.model, ownerEmail }), row?.document ?? {});
}
