import { TransportError } from '#http-client';
import { wordsOf } from '../fault-words';
import { ConnectionError, type ConnectionFault } from '../platform.port';
import { withoutStop } from '../refusal';
import { isFatal, meaningOf } from './error-codes';
import { GraphError } from './graph-error';

/** Maps an error of the probe. `send-outcomes.ts` maps send errors. */
export function connectionError(error: unknown): ConnectionError {
  if (!(error instanceof GraphError)) return new ConnectionError(faultOf(error), false);
  return new ConnectionError(
    faultOf(error),
    isUnknownNumber(error) || isFatal(error.code, error.status),
    error.retryAfterMs ?? meaningOf(error.code, error.status).retryAfterMs,
  );
}

/** Whether the same call is likely to succeed a moment later. */
export function isPassing(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof GraphError && !connectionError(error).fatal);
}

export function faultOf(error: unknown): ConnectionFault {
  if (error instanceof TransportError)
    return { code: 'unreachable', message: `WhatsApp cannot be reached: ${withoutStop(error.message)}.` };
  if (!(error instanceof GraphError))
    return { code: 'internal_error', message: `WhatsApp: ${withoutStop(wordsOf(error))}.` };
  const said = `(WhatsApp: ${error.code} ${error.message})`;
  if (isUnknownNumber(error)) return { code: 'phone_number_unknown', message: `${UNKNOWN_NUMBER} ${said}` };
  if (isFatal(error.code, error.status)) return { code: 'unauthorized', message: `${BAD_TOKEN} ${said}` };
  if (meaningOf(error.code, error.status).failure === 'rate_limited')
    return { code: 'rate_limited', message: `WhatsApp limits how fast it may be called. ${said}` };
  return { code: 'platform_unavailable', message: `WhatsApp returned an error. ${said}` };
}

const BAD_TOKEN =
  'WhatsApp refuses the access token. Use a token of a system user that does not expire and has ' +
  'the permission whatsapp_business_messaging for this number.';

const UNKNOWN_NUMBER =
  'WhatsApp does not know this phone number id, or does not show it to this token. Check it: it is ' +
  'the id that the app’s API set-up page shows, not the number.';

/** "Unsupported get request. Object with ID … does not exist, cannot be loaded due to missing permissions". */
function isUnknownNumber({ code, subcode }: GraphError): boolean {
  return code === 33 || (code === 100 && subcode === 33);
}
