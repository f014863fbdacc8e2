/** Makes a value when it is first wanted. Each formatter costs the browser milliseconds, and a page shows few of them. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
