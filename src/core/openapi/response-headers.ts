const header = (description: string, type: string, required: boolean, example: unknown) => ({
  description,
  required,
  schema: { type },
  example,
});

/** The headers of answers, by the name of their component. A header is `required` if every such answer has it. */
export const HEADERS = {
  RequestId: header('Id of the request, as in `meta.request_id`.', 'string', true, 'req_01h455vb4pex5vsknk084sn02q'),
  RateLimit: header(
    'Requests allowed in the window with fewer requests left; if both have equally many left, in the one that resets last.',
    'integer',
    false,
    60,
  ),
  RateLimitRemaining: header('Requests left in that window.', 'integer', false, 59),
  RateLimitReset: header(
    'Unix time in seconds from which one more request is accepted, at most one window away.',
    'integer',
    false,
    1_769_860_860,
  ),
  RetryAfter: header(
    'Seconds until a request is accepted again; absent if a call costs more than its whole AI budget.',
    'integer',
    false,
    12,
  ),
  IdempotentReplayed: header('`true` if this response repeats that of an earlier request.', 'string', false, 'true'),
};

const reference = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

export function headersOf(status: number, { authenticated, replays }: { authenticated: boolean; replays: boolean }) {
  return {
    'X-Request-Id': reference('RequestId'),
    ...(authenticated &&
      status !== 401 && {
        'X-RateLimit-Limit': reference('RateLimit'),
        'X-RateLimit-Remaining': reference('RateLimitRemaining'),
        'X-RateLimit-Reset': reference('RateLimitReset'),
      }),
    ...(status === 429 && { 'Retry-After': reference('RetryAfter') }),
    ...(replays && (status === 200 || status === 500) && { 'Idempotent-Replayed': reference('IdempotentReplayed') }),
  };
}
