import type { Status } from '#client';
import { PLATFORMS, type Platform } from '../../components/people/platform';
import { detailsOf, isNotConfigured } from './integration-state';

const COMPONENTS: Readonly<Record<keyof Status['components'], string>> = {
  database: 'The database',
  cache: 'The cache',
  ai_provider: 'The AI provider',
  workers: 'Due work',
};

/** Why the status is not better, in words. */
export function reasonsOf({ components, integrations }: Status): string[] {
  const parts = Object.entries(components)
    .filter(([, state]) => state !== 'healthy')
    .map(([name, state]) => `${COMPONENTS[name as keyof Status['components']]} is ${state}`);
  const platforms = Object.entries(integrations).flatMap(([platform, state]) => {
    const { status, error } = detailsOf(state);
    if (status === 'connected' || isNotConfigured(error)) return [];
    return [`${PLATFORMS[platform as Platform].name} is ${status}${error ? `: ${error}` : ''}`];
  });
  return [...parts, ...platforms];
}
