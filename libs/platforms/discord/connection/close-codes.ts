import { ConnectionError, type ConnectionFault } from '../../platform.port';
import { BAD_TOKEN } from '../discord-errors';

/** Not 1000 or 1001, with which Discord would end the session; the one that discord.js uses. */
export const RESUMABLE_CLOSE = 4200;

/**
 * After these closes connecting again cannot help until an operator changes something:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const FATAL: Readonly<Record<number, ConnectionFault>> = {
  4004: BAD_TOKEN,
  4010: { code: 'invalid_shard', message: 'Discord refuses the shard number (4010). This is a fault of the gateway.' },
  4011: {
    code: 'sharding_required',
    message:
      'The bot is in more servers (2,500) than Discord serves over one connection (4011), and this gateway opens one. ' +
      'Take the bot out of some, or use another bot.',
  },
  4012: {
    code: 'invalid_api_version',
    message: 'Discord no longer serves the API version of this gateway (4012). Update the gateway.',
  },
  4013: { code: 'invalid_intents', message: 'Discord refuses the intents (4013). This is a fault of the gateway.' },
  4014: {
    code: 'disallowed_intents',
    message:
      'Discord does not allow the bot to read messages (4014). In the developer portal, under Bot, Privileged Gateway ' +
      'Intents, switch on Message Content Intent, then reconnect.',
  },
};

export function fatalClose(code: number): ConnectionError | undefined {
  const fault = FATAL[code];
  return fault && new ConnectionError(fault, true);
}

/** Whether a close deserves a warning: not if we closed, nor if Discord moves the bot to another server. */
export function unusualClose(code: number): ConnectionFault | undefined {
  if (code === RESUMABLE_CLOSE || code === 1000 || code === 1001) return undefined;
  return { code: 'interrupted', message: `The connection to Discord broke (${code}); it is being resumed.` };
}
