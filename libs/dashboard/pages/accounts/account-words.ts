import type { Integration } from '#client';

/** The bot or number at the platform; undefined until the platform has told it. */
export function identityOf({ details }: Pick<Integration, 'details'>): string | undefined {
  const { bot_username: bot, phone } = details;
  return bot ? `@${bot}` : phone;
}

export const SOURCES: Readonly<Record<NonNullable<Integration['source']>, string>> = {
  environment: 'Variables of the environment',
  api: 'Dashboard or API',
};

/** A platform that is disabled is not in trouble. */
export function statusOf({ enabled, status }: Pick<Integration, 'enabled' | 'status'>): string {
  return enabled ? status : 'disabled';
}
