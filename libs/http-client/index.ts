export { exchange, type ExchangeOptions, type HttpAnswer } from './exchange';
export type { FileAnswer, FileLimits } from './file-answer';
export * from './http-client';
export { type FormFile, multipart, type Upload } from './multipart';
export * from './retry-after';
export * from './transport-error';
export * from './pause';
export { KeyedSemaphore, Semaphore } from './semaphore';
