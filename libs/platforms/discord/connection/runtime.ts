export { Connection } from './connection';
export { DiscordApi } from '../discord-api';
export { connectionError } from '../discord-errors';
export { GatewayMemory } from './gateway-memory';
export { Sender } from '../outbound/sender';
