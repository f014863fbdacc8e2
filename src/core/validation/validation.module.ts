import { Global, Module } from '@nestjs/common';
import { ParameterChecks } from './parameter-checks.service';

@Global()
@Module({ providers: [ParameterChecks], exports: [ParameterChecks] })
export class ValidationModule {}
