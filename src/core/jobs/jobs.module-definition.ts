import { ConfigurableModuleBuilder } from '@nestjs/common';

export interface QueueOptions {
  /** The database in use, embedded or not. The queue lives in a schema of its own there, unless there is a Redis. */
  databaseUrl: string;
  redisUrl?: string | undefined;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: QUEUE_OPTIONS } =
  new ConfigurableModuleBuilder<QueueOptions>()
    .setClassMethodName('forRoot')
    .setExtras({}, (definition) => ({ ...definition, global: true }))
    .build();
