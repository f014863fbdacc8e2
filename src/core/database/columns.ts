import { Column, type ColumnOptions } from 'typeorm';
import { ENVIRONMENTS } from '#contracts';

/** `timestamptz(3)`: milliseconds, as timestamps are shown. */
export const Timestamp = (options: ColumnOptions = {}) => Column('timestamptz', { precision: 3, ...options });

export const EnvironmentColumn = (options: ColumnOptions = {}) =>
  Column('enum', { enum: ENVIRONMENTS, enumName: 'environment', ...options });
