/** Whether it is an id of Discord's: https://discord.com/developers/docs/reference#snowflakes */
export function isSnowflake(id: unknown): boolean {
  return typeof id === 'string' && /^\d{1,20}$/.test(id);
}

/** Snowflakes grow with time. */
export function isLater(id: string, than: string): boolean {
  return BigInt(id) > BigInt(than);
}
