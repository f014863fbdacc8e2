/** Creates a value at its first use. Each formatter takes the browser milliseconds, and a page uses few of them. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
