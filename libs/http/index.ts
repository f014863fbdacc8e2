export { exchange, type HttpAnswer, type ExchangeOptions } from './exchange';
