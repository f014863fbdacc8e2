import type { QueryClient } from '@tanstack/react-query';

/** Reads again what shows accounts. */
export async function refreshAccounts(client: QueryClient): Promise<void> {
  const keys = [['integrations'], ['status'], ['problems']];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
