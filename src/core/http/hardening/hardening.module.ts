import { Global, Module } from '@nestjs/common';
import { AnswersOfKeys } from './answer-turns.interceptor';

/** Counters that the limits of all modules share. */
@Global()
@Module({ providers: [AnswersOfKeys], exports: [AnswersOfKeys] })
export class HardeningModule {}
