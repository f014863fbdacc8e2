import { Global, Module } from '@nestjs/common';
import { AnswersOfKeys } from './answer-turns.interceptor';

/** What the limits of all modules count together. */
@Global()
@Module({ providers: [AnswersOfKeys], exports: [AnswersOfKeys] })
export class HardeningModule {}
