import { AI_PROVIDERS, NotCheckable, type AiProviderName } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { configuredSecrets } from '../../core/secrets/deployment-secrets';
import { SecretBox } from '../../core/secrets/secret-box.service';
import type { ProviderAccess } from '../provider/ai-provider.port';
import { placeOfKey } from '../providers/place-of-key';

/** As a gateway would read them: one that was set before a restore does not count. */
const STORED = `SELECT name, api_key, base_url FROM ai_providers
  WHERE set_at >= ALL (SELECT date_trunc('second', value::timestamptz) FROM deployment WHERE name = 'restored at')`;

interface StoredRow {
  name: AiProviderName;
  api_key: Buffer | null;
  base_url: string | null;
}

/** The providers that the API has set, whose keys can be read. None without a database, or before the first start of this version. */
export async function storedProviders(
  configuration: Configuration,
  database: DoctorDatabase,
): Promise<Map<AiProviderName, ProviderAccess>> {
  const secrets = await configuredSecrets(configuration).catch(() => undefined);
  const found = new Map<AiProviderName, ProviderAccess>();
  if (!secrets) return found;
  const box = new SecretBox(secrets);
  for (const { name, api_key: sealed, base_url: baseUrl } of await rowsOf(database)) {
    const apiKey = sealed === null ? undefined : box.openIfReadable(sealed, placeOfKey(name, baseUrl));
    const isReadable = sealed === null || apiKey !== undefined;
    if (isReadable && AI_PROVIDERS.includes(name)) found.set(name, { apiKey, baseUrl: baseUrl ?? undefined });
  }
  return found;
}

async function rowsOf(database: DoctorDatabase): Promise<StoredRow[]> {
  try {
    return await database.query<StoredRow & Record<string, unknown>>(STORED);
  } catch (error) {
    const isOlder = (error as { code?: unknown }).code === '42P01';
    if (error instanceof NotCheckable || isOlder) return [];
    throw error;
  }
}
