import { ConfigurableModuleBuilder } from '@nestjs/common';

export interface JobsModuleOptions {
  /** The database in use, embedded or not. The queue lives in a schema of its own there, unless there is a Redis. */
  databaseUrl: string;
  redisUrl?: string | undefined;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: JOBS_OPTIONS } =
  new ConfigurableModuleBuilder<JobsModuleOptions>()
    .setClassMethodName('forRoot')
    .setExtras({}, (definition) => ({ ...definition, global: true }))
    .build();
