import { TransportError } from '#http-client';
import type { PartRefused } from '../../platform.port';
import { refused } from '../../refusal';
import { meaningOf } from '../error-codes';
import { type ErrorObject, GraphError, wordsOf } from '../graph-error';

/** Outcome of a failed send. WhatsApp's own 5xx answer is a refusal; a proxy's, with another body, is no answer. */
export function refusalOf(error: unknown): PartRefused {
  if (error instanceof GraphError) {
    const { retryAfterMs } = meaningOf(error.code, error.status);
    const refusal = said(error.code, error.status, error.message);
    return { ...refusal, retryAfterMs: retryAfterMs === undefined ? undefined : (error.retryAfterMs ?? retryAfterMs) };
  }
  if (error instanceof TransportError)
    return refused(error.written ? 'ambiguous' : 'platform_unavailable', error.message);
  // An unexpected error: the request may or may not have been written.
  return refused('ambiguous', 'unexpected error');
}

/** Why a message failed that WhatsApp had accepted. */
export function laterRefusalOf(error: ErrorObject | undefined): PartRefused {
  if (typeof error?.code !== 'number') return refused('recipient_unreachable', 'WhatsApp gave no reason');
  return said(error.code, undefined, wordsOf(error));
}

function said(code: number, status: number | undefined, words: string): PartRefused {
  const { failure, advice, concernsAccount } = meaningOf(code, status);
  const refusal = refused(failure, `WhatsApp: ${words}${advice ? `. ${advice}` : ''}`, String(code));
  return concernsAccount ? { ...refusal, concernsAccount } : refusal;
}
