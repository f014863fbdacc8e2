import { Global, Module } from '@nestjs/common';
import { Configuration } from '../config/configuration';
import { AddressGuard } from './address-guard.service';
import { HostRate } from './host-rate.service';
import { ReceiverClient } from './receiver-client.service';

/** Gives the guard of all URLs that users name, and the client that posts to them, to every module. */
@Global()
@Module({
  providers: [
    {
      provide: AddressGuard,
      inject: [Configuration],
      useFactory: ({ webhooks }: Configuration) => new AddressGuard(webhooks),
    },
    HostRate,
    ReceiverClient,
  ],
  exports: [AddressGuard, HostRate, ReceiverClient],
})
export class EgressModule {}
