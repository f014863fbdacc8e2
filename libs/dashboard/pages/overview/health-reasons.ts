import type { Status } from '#client';
import { PLATFORMS, type Platform } from '../../components/people/platform';
import { detailsOf, isNotConfigured } from './integrations/integration-state';

/** Component → its name, and what it means if it is not healthy. */
const COMPONENTS: Readonly<Record<keyof Status['components'], readonly [name: string, meaning: string]>> = {
  database: ['The database', 'it does not respond, or accepts no writes'],
  cache: ['The cache', 'Redis cannot be reached'],
  ai_provider: ['The AI provider', 'it fails or rejects requests'],
  workers: ['Background work', 'due work fails repeatedly, or is late'],
};

/** The reasons why the status is not `healthy`. */
export function reasonsOf({ components, integrations }: Status): string[] {
  const parts = Object.entries(components)
    .filter(([, state]) => state !== 'healthy')
    .map(([part, state]) => {
      const [name, meaning] = COMPONENTS[part as keyof Status['components']] ?? [part];
      return `${name} is ${state}${meaning ? `: ${meaning}` : ''}`;
    });
  const platforms = Object.entries(integrations).flatMap(([platform, state]) => {
    const { status, error } = detailsOf(state);
    if (status === 'connected' || isNotConfigured(error)) return [];
    return [`${PLATFORMS[platform as Platform].name} is ${status}${error ? `: ${error}` : ''}`];
  });
  return [...parts, ...platforms];
}
