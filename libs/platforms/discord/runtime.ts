export { Connection } from './connection';
export { DiscordApi } from './discord-api';
export { GatewayMemory } from './gateway-memory';
export { Sender } from './sender';
