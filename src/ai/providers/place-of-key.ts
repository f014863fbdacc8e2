/** What a sealed key is bound to: it cannot be opened for another provider or address. */
export function placeOfKey(name: string, baseUrl: string | null): string {
  return `ai provider ${name} ${baseUrl ?? ''}`;
}
