import type { Problem, Status } from '#client';
import { PLATFORMS, type Platform } from '../../components/people/platform';
import { isSaidBy } from '../../components/problems/causes';
import { detailsOf, isNotConfigured } from './integrations/integration-state';

/** Component → its name, and what it means if it is not healthy. */
const COMPONENTS: Readonly<Record<keyof Status['components'], readonly [name: string, meaning: string]>> = {
  database: ['The database', 'it does not respond, or accepts no writes'],
  cache: ['The cache', 'Redis cannot be reached'],
  ai_provider: ['The AI provider', 'it fails or rejects requests'],
  workers: ['Background work', 'due work fails repeatedly, or is late'],
};

/** The reasons why the status is not `healthy`, without those that problems already say. */
export function reasonsOf({ components, integrations }: Status, problems: readonly Problem[]): string[] {
  const parts = Object.entries(components)
    .filter(([part, state]) => state !== 'healthy' && !isSaidBy(problems, part))
    .map(([part, state]) => {
      const [name, meaning] = COMPONENTS[part as keyof Status['components']] ?? [part];
      return `${name} is ${state}${meaning ? `: ${meaning}` : ''}`;
    });
  const platforms = Object.entries(integrations).flatMap(([platform, state]) => {
    const details = detailsOf(state);
    const { status, error } = details;
    if (status === 'connected' || isNotConfigured(details) || isSaidBy(problems, platform)) return [];
    return [`${PLATFORMS[platform as Platform].name} is ${status}${error ? `: ${error}` : ''}`];
  });
  return [...parts, ...platforms];
}
