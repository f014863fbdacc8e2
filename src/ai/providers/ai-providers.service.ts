import { Injectable, type OnModuleInit } from '@nestjs/common';
import { defaultProvider } from '../../core/config/ai-access';
import { SettingsService } from '../../core/settings/settings.service';
import { LiveProviders } from '../provider/live-providers.service';

/** Which AI providers the deployment has. */
@Injectable()
export class AiProviders implements OnModuleInit {
  constructor(
    private readonly live: LiveProviders,
    private readonly settings: SettingsService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.settings.useProvider(defaultProvider(this.live.configured));
  }
}
