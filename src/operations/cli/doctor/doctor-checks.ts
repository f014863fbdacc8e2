import { type DoctorCheck, PLATFORMS } from '#contracts';
import { hasCluster, placesIn } from '#embedded-postgres';
import { BackupsCheck } from '../../doctor/backups.check';
import { ConfigurationCheck } from '../../doctor/configuration.check';
import { DatabaseCheck } from '../../doctor/database.check';
import { DirectUrlCheck } from '../../doctor/direct-url.check';
import { DiskCheck } from '../../doctor/disk.check';
import { FilesCheck } from '../../doctor/files.check';
import { MailCheck } from '../../doctor/mail.check';
import { PoolerCheck } from '../../doctor/pooler.check';
import { PortCheck } from '../../doctor/port.check';
import { ProxyCheck } from '../../doctor/proxy.check';
import { RedisCheck } from '../../doctor/redis.check';
import { SecretsCheck } from '../../doctor/secrets.check';
import { StorageCheck } from '../../doctor/storage.check';
import { TlsCheck } from '../../doctor/tls.check';
import { AiCheck } from '../../../ai/doctor/ai.check';
import type { TolerantConfiguration } from '../../../core/config/tolerant-configuration';
import { DatabaseNotMade, DoctorDatabase } from '../../../core/doctor/doctor-database';
import { PlatformCheck } from '../../../integrations/doctor/platform.check';
import { MediaCheck } from '../../../media/doctor/media.check';
import { ReferencesCheck } from '../../../messages/doctor/references.check';
import { HeldWorkCheck } from '../../../status/doctor/held-work.check';
import { ReceiversCheck } from '../../../webhooks/doctor/receivers.check';
import { noDatabaseIn, type CommandDatabase } from '../database';

/** Every check of `gateway doctor`, in the order in which it prints their findings. */
export function doctorChecks(
  { configuration, faults }: TolerantConfiguration,
  env: NodeJS.ProcessEnv,
  database: DoctorDatabase,
): DoctorCheck[] {
  const { http, redisUrl, backups, databaseUrl, databaseDirectUrl } = configuration;
  return [
    new ConfigurationCheck(env, faults),
    new DatabaseCheck(database, databaseUrl === undefined, redisUrl !== undefined),
    ...(databaseUrl === undefined ? [] : [new PoolerCheck(databaseUrl, configuration)]),
    ...(databaseDirectUrl === undefined ? [] : [new DirectUrlCheck(databaseDirectUrl, database)]),
    new SecretsCheck(configuration, database),
    new RedisCheck(redisUrl),
    ...PLATFORMS.map((platform) => new PlatformCheck(platform, configuration)),
    new AiCheck(configuration, database),
    new MailCheck(configuration, database),
    new ReceiversCheck(configuration, database),
    new ReferencesCheck(database),
    new HeldWorkCheck(database),
    new BackupsCheck(backups, database),
    ...(backups.s3Url === undefined ? [] : [new StorageCheck(backups.s3Url)]),
    new MediaCheck(configuration, database),
    new DiskCheck(configuration),
    new FilesCheck(configuration),
    new TlsCheck(http.tls?.certFile),
    new PortCheck(http),
    new ProxyCheck(http),
  ];
}

/** Opens the database but never makes one: the doctor changes nothing. */
export function doctorDatabase(
  { configuration: { databaseUrl, dataDir }, invalid }: TolerantConfiguration,
  open: () => Promise<CommandDatabase>,
): { database: DoctorDatabase; close: () => Promise<void> } {
  let opening: Promise<CommandDatabase> | undefined;
  const database = new DoctorDatabase(async () => {
    // With an invalid URL the gateway's default would be the embedded database, which the operator does not mean.
    if (invalid.has('DATABASE_URL')) throw new Error('DATABASE_URL is not valid');
    if (databaseUrl !== undefined) return databaseUrl;
    if (!hasCluster(placesIn(dataDir))) throw new DatabaseNotMade(await noDatabaseIn(dataDir));
    opening = open();
    return (await opening).url;
  });
  const close = async (): Promise<void> => {
    await database.close();
    await (await opening?.catch(() => undefined))?.close();
  };
  return { database, close };
}
