import type { Status } from '#client';

export type IntegrationState = Exclude<Status['integrations'][string], string>;

/** The short form of the status is only a string: turns it into an object. */
export function detailsOf(
  state: Status['integrations'][string],
): Partial<IntegrationState> & Pick<IntegrationState, 'status'> {
  return typeof state === 'string' ? { status: state } : state;
}

export function isNotConfigured(error: string | undefined): boolean {
  return error?.toLowerCase().includes('not configured') ?? false;
}
