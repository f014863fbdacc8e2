import { Global, Module } from '@nestjs/common';
import { Work } from './work';

@Global()
@Module({ providers: [Work], exports: [Work] })
export class WorkModule {}
