/** Thrown by `within`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Waits for a promise for a limited time; the work behind the promise goes on. The timer does not keep the process alive.
 * @throws TimeoutError after `ms` milliseconds, or the error of the promise
 */
export async function within<T>(ms: number, promise: Promise<T>, message = `no answer within ${ms} ms`): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TimeoutError(message)), ms).unref();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
