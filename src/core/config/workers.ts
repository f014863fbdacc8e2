import { availableParallelism } from 'node:os';
import { Configuration } from './configuration';

/** The files of one AI call have at most 20 MB, as base64 a third more. */
const MIN_FILES_BYTES = 33_554_432;

/** How many processes serve requests. */
export function workersOf({ workers, redisUrl }: Pick<Configuration, 'workers' | 'redisUrl'>): number {
  if (workers !== 'auto') return workers;
  return redisUrl === undefined ? 1 : availableParallelism();
}

/** Each worker's share of an instance's limit. 0 means no limit. */
export function shareOf(limit: number, workers: number): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit / workers));
}

/** The settings of one worker, with its shares of the instance's limits. */
export function configurationOfWorker(configuration: Configuration): Configuration {
  const workers = workersOf(configuration);
  const { http, ai, webhooks } = configuration;
  const shares = {
    http: { ...http, maxConnections: Math.max(32, shareOf(http.maxConnections, workers)) },
    ai: {
      ...ai,
      concurrency: shareOf(ai.concurrency, workers),
      filesBytes: Math.max(MIN_FILES_BYTES, shareOf(ai.filesBytes, workers)),
    },
    webhooks: { ...webhooks, hostRate: shareOf(webhooks.hostRate, workers) },
  };
  return Object.freeze(Object.assign(Object.create(Configuration.prototype) as Configuration, configuration, shares));
}
