/** Configuration of the Discord adapter. Only tests change the times. */
export interface DiscordOptions {
  /** The bot token that the developer portal shows. Without it the platform is not configured. */
  token?: string;
  /** Root of the REST API without its version, `https://discord.com/api`. The gateway's address comes from it. */
  apiUrl: string;
  timings?: Partial<DiscordTimings>;
}

export interface DiscordTimings {
  /** How long a REST request may take, in milliseconds. */
  answerMs: number;
  /** How long one attempt of a send may take before its outcome counts as unknown, in milliseconds. */
  sendMs: number;
  /** How long Discord may be silent during a download, in milliseconds. */
  silenceMs: number;
  /** How long a connection may take to become ready, at first and after every break, in milliseconds. */
  readyMs: number;
  /** Pause before a retry of a message that could not be stored, in milliseconds. */
  pauseMs: number;
}

export const DISCORD_TIMINGS: DiscordTimings = {
  answerMs: 10_000,
  // Two attempts and the opening of a direct message stay below the 25 s that the gateway gives a part.
  sendMs: 7_000,
  silenceMs: 30_000,
  // discord.js spreads identifies by up to 6.5 s, and pauses 0.5 s before each new connection.
  readyMs: 20_000,
  pauseMs: 1_000,
};

/** The DiscordBot; undefined without a token. */
export const DISCORD_BOT = Symbol('DISCORD_BOT');

export const DISCORD_OPTIONS = Symbol('DISCORD_OPTIONS');
