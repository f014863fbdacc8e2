import { Global, Module } from '@nestjs/common';
import { SettingsStore } from './settings.service';

@Global()
@Module({ providers: [SettingsStore], exports: [SettingsStore] })
export class SettingsModule {}
