import { Global, Module } from '@nestjs/common';
import { Siblings } from './siblings.service';

@Global()
@Module({ providers: [Siblings], exports: [Siblings] })
export class ClusterModule {}
