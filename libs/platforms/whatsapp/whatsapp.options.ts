/** Configuration of the WhatsApp adapter. Only tests change the times. */
export interface WhatsAppOptions {
  /** Without it the platform is not configured. */
  account?: WhatsAppAccount;
  /** The business account that the number belongs to: its templates can be read. */
  businessAccountId?: string;
  /** Root of the Graph API with its version, `https://graph.facebook.com/v26.0`. */
  apiUrl: string;
  /** Most messages of the number in a second; default: 80. */
  messagesPerSecond?: number;
  timings?: Partial<WhatsAppTimings>;
}

export interface WhatsAppAccount {
  /** Access token of a system user with `whatsapp_business_messaging`. */
  accessToken: string;
  phoneNumberId: string;
  /** Secret of the app, which signs the callbacks. */
  appSecret: string;
  /** The word that the handshake of the callback must contain. */
  verifyToken: string;
}

export interface WhatsAppTimings {
  /** Pause between two probes, in milliseconds. */
  probeMs: number;
  /** Pause before a failed probe is repeated, in milliseconds. */
  pauseMs: number;
  /** How long any other call may take, in milliseconds. */
  answerMs: number;
  /** How long a send may take before its outcome counts as unknown, in milliseconds. */
  sendMs: number;
  /** How long WhatsApp may be silent during a download, in milliseconds. */
  silenceMs: number;
}

export const WHATSAPP_TIMINGS: WhatsAppTimings = {
  probeMs: 30_000,
  pauseMs: 2_000,
  answerMs: 10_000,
  sendMs: 20_000,
  silenceMs: 30_000,
};

export const WHATSAPP_OPTIONS = Symbol('WHATSAPP_OPTIONS');
