import type { Integration } from '#client';
import { Time } from './time';

/** Receiving or sending of an account. */
export type ShownDirection = Partial<Pick<Integration['sending'], 'last_success_at' | 'last_error_at' | 'last_error'>>;

/** A failure lasts until the next success. */
export function isFailing({ last_success_at: success, last_error_at: failure }: ShownDirection): boolean {
  return Boolean(failure) && (!success || failure! > success);
}

/** The last success, or the failure after it. */
export function DirectionWords({ direction }: { direction: ShownDirection }) {
  const { last_success_at: success, last_error_at: failure, last_error: error } = direction;
  if (failure && isFailing(direction))
    return (
      <>
        failed <Time value={failure} form="relative" />
        {error ? `: ${error}` : ''}
      </>
    );
  return success ? <Time value={success} form="relative" /> : 'nothing yet';
}
