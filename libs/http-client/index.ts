export { exchange, type ExchangeOptions, type HttpAnswer } from './exchange';
export * from './http-client';
export * from './retry-after';
export * from './transport-error';
export * from './pause';
export { Semaphore } from './semaphore';
