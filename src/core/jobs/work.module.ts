import { Global, Module } from '@nestjs/common';
import { Work } from './due-work.service';

@Global()
@Module({ providers: [Work], exports: [Work] })
export class WorkModule {}
