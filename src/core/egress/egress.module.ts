import { Global, Module } from '@nestjs/common';
import { AddressGuard } from './address-guard.service';

/** Gives the guard of all URLs that users name to every module. */
@Global()
@Module({ providers: [AddressGuard], exports: [AddressGuard] })
export class EgressModule {}
