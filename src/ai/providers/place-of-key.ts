/** Binds a sealed key to its provider and address: it cannot be opened for others. */
export function placeOfKey(name: string, baseUrl: string | null): string {
  return `ai provider ${name} ${baseUrl ?? ''}`;
}
