import { GatewayConnectionError, GatewayError, type ErrorDetails } from '#client';

/** An error as the page shows it. */
export interface Fault {
  title: string;
  text: string;
  requestId?: string;
}

export function faultOf(error: unknown): Fault {
  if (error instanceof GatewayConnectionError) {
    return {
      title: 'No connection',
      text: 'The gateway does not respond. It may be restarting, or the network is down.',
    };
  }
  if (error instanceof GatewayError) return { ...wordsOf(error), requestId: error.requestId };
  return { title: 'Something went wrong', text: error instanceof Error ? error.message : String(error) };
}

function wordsOf(error: GatewayError): Omit<Fault, 'requestId'> {
  if (error.is('INSUFFICIENT_PERMISSIONS')) {
    const { required_scope, key_scopes } = error.details;
    return {
      title: 'Not permitted',
      text: `This requires the scope ${required_scope}. Your key has: ${key_scopes.join(', ')}.`,
    };
  }
  if (error.is('RATE_LIMIT_EXCEEDED')) {
    const { limit, window_seconds, retry_after_seconds } = error.details;
    return {
      title: 'Limit reached',
      text: `The limit is ${limit} in ${window_seconds} seconds. Try again in ${retry_after_seconds} seconds.`,
    };
  }
  if (error.is('PLATFORM_NOT_CONNECTED'))
    return { title: 'Not connected', text: `${error.details.platform}: ${error.details.reason}` };
  if (error.code === 'RESOURCE_NOT_FOUND') return { title: 'Not found', text: error.message };
  const faults = Object.entries(faultsByField(error)).map(([parameter, reason]) => `${parameter} ${reason}`);
  return { title: 'The gateway refused the request', text: faults.length > 0 ? faults.join(' · ') : textOf(error) };
}

function textOf({ message, details }: GatewayError): string {
  const reason = (details as { reason?: string } | null)?.reason;
  return reason ? `${message} ${reason}` : message;
}

/** Parameter (`ai.temperature`) → why the gateway refused it. */
export function faultsByField(error: unknown): Record<string, string> {
  if (!(error instanceof GatewayError)) return {};
  const details = error.details as Partial<
    ErrorDetails['INVALID_PARAMETER'] & {
      parameter: string;
      reason?: string;
      errors: { parameter: string; reason: string }[];
    }
  > | null;
  const faults =
    details?.errors ??
    (details?.parameter ? [{ parameter: details.parameter, reason: details.reason ?? 'is missing' }] : []);
  return Object.fromEntries(faults.map(({ parameter, reason }) => [parameter, reason]));
}
