import type { Status } from '#client';

export type IntegrationState = Exclude<Status['integrations'][string], string>;

/** The short form of the status is only a string: turns it into an object. */
export function detailsOf(
  state: Status['integrations'][string],
): Partial<IntegrationState> & Pick<IntegrationState, 'status'> {
  return typeof state === 'string' ? { status: state } : state;
}

/** Whether the platform has no account. */
export function isNotConfigured({ accounts }: Pick<Partial<IntegrationState>, 'accounts'>): boolean {
  return accounts?.length === 0;
}
