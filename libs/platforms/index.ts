export * from './platform.port';
export { SandboxAdapter, SANDBOX_RECIPIENTS } from './sandbox/sandbox.adapter';
export { TelegramAdapter } from './telegram/telegram.adapter';
export { TelegramModule, type TelegramAsyncOptions } from './telegram/telegram.module';
export type { TelegramOptions, TelegramTimings } from './telegram/telegram.options';
export { splitText } from './text/split';
