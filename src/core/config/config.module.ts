import { Module, type DynamicModule } from '@nestjs/common';
import { Configuration } from './configuration';

/** Provides `Configuration` to every module. */
@Module({})
export class ConfigModule {
  static forRoot(configuration: Configuration): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Configuration, useValue: configuration }],
      exports: [Configuration],
    };
  }
}
