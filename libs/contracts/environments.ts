/** `live` keys reach the platforms; `test` keys reach the sandbox. The two never see each other's rows. */
export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
