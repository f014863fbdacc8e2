import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { WhatsAppAdapter } from './whatsapp.adapter';
import { WHATSAPP_OPTIONS, type WhatsAppOptions } from './whatsapp.options';

export interface WhatsAppAsyncOptions extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider, 'inject'> {
  // The factory's arguments are whatever `inject` names, as in every Nest module.
  useFactory: (...dependencies: never[]) => WhatsAppOptions | Promise<WhatsAppOptions>;
}

/** Gives a {@link WhatsAppAdapter}. It calls WhatsApp only when it is told to run or to send. */
@Module({})
export class WhatsAppModule {
  static forRoot(options: WhatsAppOptions): DynamicModule {
    return this.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports, inject, useFactory }: WhatsAppAsyncOptions): DynamicModule {
    return {
      module: WhatsAppModule,
      imports,
      providers: [{ provide: WHATSAPP_OPTIONS, inject, useFactory }, WhatsAppAdapter],
      exports: [WhatsAppAdapter],
    };
  }
}
