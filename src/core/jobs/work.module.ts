import { Global, Module } from '@nestjs/common';
import { DueWork } from './due-work.service';

@Global()
@Module({ providers: [DueWork], exports: [DueWork] })
export class WorkModule {}
