import { type DynamicModule, Module } from '@nestjs/common';
import { WhatsAppAdapter } from './whatsapp.adapter';
import { WHATSAPP_OPTIONS, type WhatsAppOptions } from './whatsapp.options';

/** Gives a {@link WhatsAppAdapter}. It calls WhatsApp only when it is told to run or to send. */
@Module({})
export class WhatsAppModule {
  static forRoot(options: WhatsAppOptions): DynamicModule {
    return {
      module: WhatsAppModule,
      providers: [{ provide: WHATSAPP_OPTIONS, useValue: options }, WhatsAppAdapter],
      exports: [WhatsAppAdapter],
    };
  }
}
